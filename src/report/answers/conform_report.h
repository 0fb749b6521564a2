// The answer of `conform` for a terminal and as JSON.
#pragma once

#include "api/conform.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::ConformAnswer& answer);

}  // namespace treaty::report
