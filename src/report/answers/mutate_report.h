// The answers of `mutate` and `compare_tests` for a terminal and as JSON.
#pragma once

#include "api/compare_tests.h"
#include "api/mutate.h"
#include "report/result.h"

namespace treaty::report {

// list_killed: whether the killed mutants are listed, too, on a terminal.
Own own_part(const api::MutateAnswer& answer, bool list_killed);
Own own_part(const api::CompareTestsAnswer& answer);

}  // namespace treaty::report
