// The kinds of diagnostics of this folder, 1400 to 1499; codes.def lists them.
#pragma once

#include "base/diagnostic.h"

namespace treaty::testgen::codes {

#define TREATY_CODE(id, number, severity, title, explanation) \
    inline constexpr base::Code id{number, base::Severity::severity, title, explanation};
#include "testgen/codes.def"
#undef TREATY_CODE

}  // namespace treaty::testgen::codes
