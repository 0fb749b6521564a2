// The answer of `check` for a terminal and as JSON.
#pragma once

#include "api/check.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::CheckAnswer& answer);

}  // namespace treaty::report
