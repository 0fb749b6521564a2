// The answer of `simulate` for a terminal and as JSON, and what happens until then in lines.
#pragma once

#include <string>

#include "api/simulate.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::SimulateAnswer& answer);

// "sends   B -> A: answer(n = 7)   (line 5)"
std::string line_of(const api::SimulateNews& news);

}  // namespace treaty::report
