// Machine to symbolic graph: the same states and edges, data as conditions and updates.
#pragma once

#include "model/machine.h"
#include "model/specification.h"
#include "symbolic/graph.h"

namespace treaty::symbolic {

// The specification, if given, is that of the machine's alphabet and pool: messages carry what it declares.
Graph machine_graph(const model::Machine& machine, const model::Specification* specification = nullptr);

}  // namespace treaty::symbolic
