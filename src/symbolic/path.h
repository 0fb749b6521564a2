// A way through a graph with every value named: what must be true of the data for it to be taken.
#pragma once

#include <vector>

#include "model/symbolic_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphStateId;
using model::GuardPart;
using model::SymbolicGraph;

// A state that was reached, and from where: the first visit is the initial state's.
struct Visit {
    GraphStateId state;
    ExprId condition;      // over the variables that matter there
    bool exact = true;     // nothing was widened on the way
    std::size_t from = 0;  // the visit it came from; its own position for the first
    GraphEdgeId edge;      // which edge of that one's state
};

struct NamedPath {
    struct Step {
        GraphStateId state;
        GraphEdgeId edge;
        std::vector<VarId> carried;  // the values of this step's payload, named for this step alone
    };
    std::vector<Step> steps;
    std::vector<GuardPart> said;                // guards and conditions as the graph has them
    std::vector<ExprId> meant;                  // the same, in terms of the named values; parallel to `said`
    absl::flat_hash_map<VarId, ExprId> values;  // of the variables at the end
};

// The way to a visit.
NamedPath path_to(const SymbolicGraph& graph, const std::vector<Visit>& visits, std::size_t at);
// One more step.
void extend(const SymbolicGraph& graph, NamedPath& path, GraphStateId state, GraphEdgeId edge);

}  // namespace treaty::symbolic
