// A machine as text for people and as JSON for programs.
#pragma once

#include <string>

#include "draw/style.h"
#include "model/machine.h"
#include "report/run.h"

namespace treaty::report {

// The event of the i-th edge of out(s), with its data: "A B!req(let x) where x > 0", "[x > 0] A B!sell(x)".
std::string print_edge(const model::Machine& machine, model::StateId s, std::size_t i);

// Each state with its edges, one per line:
//
//     state 0, initial
//         C A?withdraw  -> 1
//     state 5, final
std::string to_text(const model::Machine& machine, const draw::Style& style);

// {"states": 6, "initial": 0, "final": [5], "transitions": [{"from": 0, "to": 1, "event": "C A?withdraw"}]};
// edges with data also have guard, data, where and assignments.
Json to_json(const model::Machine& machine);

}  // namespace treaty::report
