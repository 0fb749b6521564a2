// The answer of `refine` for a terminal and as JSON.
#pragma once

#include "api/refine.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::RefineAnswer& answer);

}  // namespace treaty::report
