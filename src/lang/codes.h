// The diagnostics of the Treaty language.
#pragma once

#include "base/diagnostic.h"

namespace treaty::lang::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "lang/codes.def"
#undef TREATY_CODE

}  // namespace treaty::lang::codes
