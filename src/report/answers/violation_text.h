// Violations of a refinement as JSON, and traces as text.
#pragma once

#include <string>
#include <vector>

#include "api/violation.h"
#include "report/json.h"

namespace treaty::report {

// {"kind": "event", "trace": ["a", "b"], "allowed": ["c"]}; a refusal also has offers, refuses,
// must_offer_one_of.
Json to_json(const api::RefinementViolation& violation);

// "<a, b>"
std::string print_trace(const std::vector<std::string>& trace);

}  // namespace treaty::report
