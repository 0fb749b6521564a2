// The answer of `tests` for a terminal and as JSON.
#pragma once

#include "api/tests.h"
#include "report/result.h"

namespace treaty::report {

// list_cases: whether each case is listed with what it fixes, if the answer has them.
Own own_part(const api::TestsAnswer& answer, bool list_cases);

}  // namespace treaty::report
