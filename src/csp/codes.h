// The kinds of diagnostics of this folder, 1600 to 1799; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::csp::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "csp/codes.def"
#undef TREATY_CODE

}  // namespace treaty::csp::codes
