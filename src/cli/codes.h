// The diagnostics of the command line.
#pragma once

#include "base/diagnostic.h"

namespace treaty::cli::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "cli/codes.def"
#undef TREATY_CODE

}  // namespace treaty::cli::codes
