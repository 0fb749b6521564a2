// The answer of `replay` for a terminal and as JSON.
#pragma once

#include "api/replay.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::ReplayAnswer& answer);

}  // namespace treaty::report
