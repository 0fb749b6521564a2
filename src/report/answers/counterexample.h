// What a process does and its specification does not allow, as JSON; and words about processes.
#pragma once

#include <string>
#include <vector>

#include "api/models/processes.h"
#include "report/json.h"

namespace treaty::report {

// {"kind": "event", "trace": ["a", "b"], "allowed": ["c"]}; of a refusal also offers, refuses and
// must_offer_one_of.
Json to_json(const model::Alphabet& alphabet, const explore::Counterexample& found);

// "f.csp means its last definition, P", a line for each file.
std::string print_chosen(const std::vector<api::ProcessName>& chosen);

}  // namespace treaty::report
