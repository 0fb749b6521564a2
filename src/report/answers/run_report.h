// The answer of `run` for a terminal and as JSON.
#pragma once

#include "api/run.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::RunAnswer& answer);

}  // namespace treaty::report
