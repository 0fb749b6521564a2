// The kinds of diagnostics of this folder, 1800 to 1849; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::complete::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "complete/codes.def"
#undef TREATY_CODE

}  // namespace treaty::complete::codes
