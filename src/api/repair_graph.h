// The interactions that a symbolic graph lacks to be realizable: shared by `repair` and by the scripts that
// `run` runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repair/repair.h"
#include "solve/solver.h"

namespace treaty::api {

struct RepairedGraph {
    model::SymbolicGraph part;  // what can be reached: problems and additions refer to it
    repair::Repair result;
};

// Whether additions to the part can be written into the text that the graph comes from.
using CanBeWritten =
    std::function<bool(const model::SymbolicGraph& part, const std::vector<repair::Addition>&)>;

// Unreachable parts are left out first: no role has to learn of them. The context is that of the graph's
// other solvers.
RepairedGraph repair_graph(const model::SymbolicGraph& graph, symbolic::CommunicationMode mode,
                           const symbolic::GraphLimits& limits, const solve::SolverContext& context,
                           const CanBeWritten& can_be_written = {});

// Why no additions were found that are enough.
std::string not_repaired(const base::Deadline& deadline);

// "A -> B: added_data1(x)"
std::string print(const model::SymbolicGraph& graph, const repair::Addition& addition);

}  // namespace treaty::api
