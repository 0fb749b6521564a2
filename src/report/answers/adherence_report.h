// The answer of `adherence` for a terminal and as JSON.
#pragma once

#include "api/adherence.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::AdherenceAnswer& answer);

}  // namespace treaty::report
