// The kinds of diagnostics of this folder, 1950 to 1999; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::watch::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "watch/codes.def"
#undef TREATY_CODE

}  // namespace treaty::watch::codes
