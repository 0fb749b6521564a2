// The composition of local graphs, sender and receiver stepping together (Nguyen 2013, algorithm 1).
//
// The graphs are over one pool and alphabet and share no variables (import_graph.h). A send and a receive of
// one event become one interaction whose conditions and updates are those of both; silent steps and
// interactions are taken by one graph alone. It ends where all may end. States are named by the states of
// the parts, joined with dots, and numbered breadth-first; parts that cannot meet are not visited.
#pragma once

#include <vector>

#include "symbolic/protocol_graph.h"

namespace treaty::symbolic {

GraphResult product(const std::vector<SymbolicGraph>& parts, const GraphLimits& limits = {});

}  // namespace treaty::symbolic
