// The canonical form of a .treaty text: one way to lay out each construct, comments kept.
//
// Formatting what it prints changes nothing, and the result parses to the same tree. A text with syntax
// errors is not formatted: the errors are reported and nothing comes back.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::lang {

std::optional<std::string> format(const base::SourceMap& sources, base::FileId file,
                                  base::Diagnostics& diagnostics);

}  // namespace treaty::lang
