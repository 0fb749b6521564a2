// Loops that their data may never let end.
//
// Without its data a loop can always be left, as a choice can. With data it may be that no value ever makes
// its condition false: `while k > 0 { …  let k = k + 1 }`. Where the values are too many to be tried, this
// decides by conditions: a loop ends if from each of its states, whatever the variables can be there, some
// way of at most two rounds leads out of it (values that are sent may be chosen); or if some number that the
// loop's condition bounds from below becomes smaller in every round. Both are sufficient, neither is
// necessary.
//
// Only loops that some role waits for count: a role that has a step after the loop and none in it.
// Cost: paths of at most two rounds, each a question to the solver. What is not known when the deadline has
// passed is not reported: a large protocol keeps the answer that it has without this.
#pragma once

#include <optional>
#include <string>

#include "base/limits.h"
#include "model/specification.h"
#include "model/symbolic_graph.h"
#include "solve/solver.h"

namespace treaty::symbolic {

struct EndlessLoop {
    model::NodeId node;  // a step of the loop
    std::string reason;  // why it is not known that it ends
};

// The first loop that is not known to end; none if all end or no role waits for their end.
std::optional<EndlessLoop> find_endless_loop(const model::SymbolicGraph& graph, solve::Solver& solver,
                                             const base::Deadline& deadline);
std::optional<EndlessLoop> find_endless_loop(const model::Specification& specification,
                                             const model::Protocol& protocol, const base::Deadline& deadline);

}  // namespace treaty::symbolic
