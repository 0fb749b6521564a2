// The answer of `unfold` for a terminal and as JSON.
#pragma once

#include "api/unfold.h"
#include "report/result.h"

namespace treaty::report {

// shown: whether the text is part of it; else it is written to a file.
Own own_part(const api::UnfoldAnswer& answer, bool shown);

}  // namespace treaty::report
