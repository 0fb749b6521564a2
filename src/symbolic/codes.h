// The kinds of diagnostics of this folder, 1500 to 1599; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::symbolic::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "symbolic/codes.def"
#undef TREATY_CODE

}  // namespace treaty::symbolic::codes
