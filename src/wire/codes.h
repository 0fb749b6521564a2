// The kinds of diagnostics of this folder, 1850 to 1949; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::wire::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "wire/codes.def"
#undef TREATY_CODE

}  // namespace treaty::wire::codes
