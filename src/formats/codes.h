// The kinds of diagnostics that readers and writers of other notations report; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::formats::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "formats/codes.def"
#undef TREATY_CODE

}  // namespace treaty::formats::codes
