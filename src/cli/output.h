// Models written to files, by extension; what a notation cannot carry is reported.
#pragma once

#include <string>

#include "cli/inputs.h"
#include "cli/session.h"
#include "formats/conversion.h"

namespace treaty::cli {

// False after reporting why nothing was written.
bool write_model(Session& session, const Loaded& loaded, const std::string& path, formats::LossPolicy policy);

}  // namespace treaty::cli
