// Files that belong to an answer.
#pragma once

#include <string>
#include <string_view>

#include "api/answer.h"

namespace treaty::report {

// False if the file could not be written: that is reported to the answer, which then has no verdict.
bool write_output(api::Answer& answer, const std::string& path, std::string_view text);

}  // namespace treaty::report
