// The answer of `data` for a terminal and as JSON.
#pragma once

#include "api/data.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::DataAnswer& answer);

}  // namespace treaty::report
