// A graph in which only the events of another can be seen (Nguyen 2013, definition 2).
//
// Every other event becomes a silent step. A value that such an event binds is then nobody's to see: outside
// of loops it becomes a free variable of the graph, as the definition has it, so that an answer can be given
// under a condition on it; inside a loop, where there is a new one every round, it stays chosen anew.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "base/result.h"
#include "model/symbolic_graph.h"
#include "symbolic/logic.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::LabelId;
using model::SymbolicGraph;

absl::flat_hash_set<LabelId> labels_of(const SymbolicGraph& graph);

// A fault if a hidden event's own condition cannot be rewritten without its data.
base::Result<SymbolicGraph> restricted(SymbolicGraph graph, const absl::flat_hash_set<LabelId>& visible,
                                       Logic& logic);

// By state: the number of its strongly connected component. Edges within one are on a cycle, if the state
// has one at all.
model::ByGraphState<std::uint32_t> components(const SymbolicGraph& graph);

}  // namespace treaty::symbolic
