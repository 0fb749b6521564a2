// The answer of `explore` for a terminal and as JSON.
#pragma once

#include "api/explore.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::ExploreAnswer& answer);

}  // namespace treaty::report
