// The answer of `comply` for a terminal and as JSON.
#pragma once

#include "api/comply.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::ComplyAnswer& answer);

}  // namespace treaty::report
