// Machine to symbolic graph: the same states and edges, data as conditions and updates.
#pragma once

#include "model/machine.h"
#include "model/specification.h"
#include "model/symbolic_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphStateId;
using model::SymbolicGraph;

// The specification, if given, is that of the machine's alphabet and pool: messages carry what it declares,
// under the conditions that it declares.
SymbolicGraph machine_graph(const model::Machine& machine,
                            const model::Specification* specification = nullptr);

// Adds to the edge what the declaration of its message demands of the payload (`message m(x: int) where
// x > 0`). The payload variables of the graph are those of the specification.
void add_declared_condition(SymbolicGraph& graph, GraphEdge& edge, const model::Specification& specification);

}  // namespace treaty::symbolic
