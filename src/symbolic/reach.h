// Which events of a graph can happen at all, given the data: Nguyen 2013, algorithm 2, with the real
// condition of every path instead of that of the first visit.
//
// For each state the conditions under which it is reached are collected, over the variables that matter
// there, until nothing new comes. `unreachable` is proved for every run, however long: where conditions keep
// growing they are widened, which can only make more reachable. `reachable` rests on a run that was found.
// `unknown` is the rest: reached after widening only, or the solver gave up.
#pragma once

#include <vector>

#include "base/limits.h"
#include "model/symbolic_graph.h"
#include "solve/solver.h"
#include "symbolic/path.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::SymbolicGraph;

enum class Reach : std::uint8_t { reachable, unreachable, unknown };

// Why an edge cannot be taken: parts of guards that exclude each other, the last of them its own. Empty for
// an edge whose state cannot be reached.
struct Conflict {
    std::vector<GuardPart> parts;
};

struct Reachability {
    model::ByGraphState<model::ByGraphEdge<Reach>> edges;  // by state, by edge
    model::ByGraphState<Reach> states;
    model::ByGraphState<model::ByGraphEdge<Conflict>> conflicts;  // of the unreachable ones
    model::ByGraphState<ExprId> conditions;  // implied by every way to reach it; none if never reached
    std::vector<Visit> visits;               // in the order of their distance from the start
    bool complete = true;                    // no limit was reached
    std::string reason;                      // why it is not complete
};

struct ReachLimits {
    std::size_t conditions = 6;  // kept apart for one state before they are widened
    base::Deadline deadline;
};

Reachability reachability(const SymbolicGraph& graph, solve::Solver& solver, const ReachLimits& limits = {});

// Without what is unreachable; states keep their names.
SymbolicGraph reachable_part(const SymbolicGraph& graph, const Reachability& reachability);

}  // namespace treaty::symbolic
