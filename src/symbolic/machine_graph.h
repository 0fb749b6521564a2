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

// The specification, if given, is that of the machine's alphabet and pool: messages carry what it declares.
SymbolicGraph machine_graph(const model::Machine& machine,
                            const model::Specification* specification = nullptr);

}  // namespace treaty::symbolic
