// The diagnostics of questions and of the command line.
#pragma once

#include "base/diagnostic.h"

namespace treaty::api::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "api/codes.def"
#undef TREATY_CODE

}  // namespace treaty::api::codes
