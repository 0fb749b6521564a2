// The answer of `decode` for a terminal and as JSON.
#pragma once

#include "api/decode.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::DecodeAnswer& answer);

}  // namespace treaty::report
