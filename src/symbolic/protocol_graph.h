// Protocol to symbolic graph, by Nguyen 2013, figure 3.2: a guard is on the first event that follows it.
//
// A state is what remains to be done. There are no silent steps: choices are made by their first event,
// conditions become guards, computations (`let x = e`) become updates of the next event, and an end after a
// condition becomes a condition of termination. An interruption may happen before each event of what it
// interrupts and before its end. A loop round without an event is not a round (rule LOOP1), unless it
// computes something; then there is a limit on such rounds. Signals and waits are not events either: a state
// holds the signals that were given and not taken.
//
// Expects what the language demands: no segment of a `par` changes a variable that another one uses.
// With a role, events are its own sends and receives: the graph of a local description. Without a graph the
// result says why: a limit, or silent steps that do not end (a signal given for ever, say).
// Cost: states times branches; parallel parts multiply.
#pragma once

#include "base/limits.h"
#include "base/result.h"
#include "model/specification.h"
#include "model/symbolic_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::LabelId;
using model::SymbolicGraph;

struct GraphLimits {
    std::size_t states = 20'000;
    std::size_t steps = 400'000;  // of rules applied
    base::Deadline deadline;
};

// A graph, or the reason why it could not be made: usually a limit that was reached.
using GraphResult = base::Result<SymbolicGraph>;

GraphResult protocol_graph(const model::Specification& specification, const model::Protocol& protocol,
                           const GraphLimits& limits = {}, model::RoleId local = {});

}  // namespace treaty::symbolic
