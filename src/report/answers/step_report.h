// The answer of `step` for a terminal and as JSON.
#pragma once

#include <string>

#include "api/step.h"
#include "report/result.h"

namespace treaty::report {

Own own_part(const api::StepAnswer& answer, const draw::Style& style);

// The run as a chart; as a list where a chart does not fit, or where nobody takes part.
std::string drawn(const model::Run& run, const draw::Style& style);

}  // namespace treaty::report
