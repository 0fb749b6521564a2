// From the text of a .treaty file to what it says.
//
// Reports every fault of the file to `diagnostics` and goes on after each; a Specification comes back only
// when there was no error. One fault causes one message. Cost: linear in the text.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "base/source.h"
#include "model/specification.h"

namespace treaty::lang {

std::optional<model::Specification> read(const base::SourceMap& sources, base::FileId file,
                                         base::Diagnostics& diagnostics);

}  // namespace treaty::lang
