// The kinds of diagnostics of this folder, 1000 to 1199; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::choreo::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "choreo/codes.def"
#undef TREATY_CODE

}  // namespace treaty::choreo::codes
