// The kinds of diagnostics of this folder, 2000 to 2099; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::generate::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "generate/codes.def"
#undef TREATY_CODE

}  // namespace treaty::generate::codes
