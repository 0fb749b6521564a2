// The interactions that a symbolic graph lacks to be realizable: shared by `repair` and by the scripts that
// `run` runs.
#pragma once

#include <string>

#include "base/limits.h"
#include "solve/solver.h"
#include "symbolic/smart.h"

namespace treaty::api {

struct RepairedGraph {
    model::SymbolicGraph part;  // what can be reached: problems and additions refer to it
    symbolic::Repair repair;
};

// Unreachable parts are left out first: nobody has to be told of them. The context is that of the graph's
// other solvers.
RepairedGraph repair_graph(const model::SymbolicGraph& graph, symbolic::CommunicationMode mode,
                           const base::Deadline& deadline, const solve::SolverContext& context,
                           const std::function<bool(const model::SymbolicGraph& part,
                                                    const std::vector<symbolic::Addition>&)>& written = {});

// Why no additions were found that are enough.
std::string not_repaired(const base::Deadline& deadline);

// "A -> B: added_data1(x)"
std::string print(const model::SymbolicGraph& graph, const symbolic::Addition& addition);

}  // namespace treaty::api
