// The answer of `proxy` for a terminal and as JSON.
#pragma once

#include "api/proxy.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::ProxyAnswer& answer);

}  // namespace treaty::report
