// The answer of `mine` for a terminal and as JSON.
#pragma once

#include "api/mine.h"
#include "report/result.h"

namespace treaty::report {

// The protocol is in the text.
Own own_part(const api::MineAnswer& answer);

}  // namespace treaty::report
