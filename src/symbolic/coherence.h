// Can a role that must send always send something allowed, whatever came before? (Algehed 2017, chapter 2)
//
// A protocol is incoherent if a run leads to a state that is not an end and in which no event is possible
// with any data. The run that is given is a shortest one, and its values are the smallest, the earlier ones
// first. Decided by solving (stuck.h); where that gives up, the answer is undecided.
#pragma once

#include <string>
#include <vector>

#include "base/answer.h"
#include "model/symbolic_graph.h"
#include "solve/solver.h"
#include "symbolic/reach.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::SymbolicGraph;

struct Incoherence {
    struct Step {
        GraphStateId state;
        GraphEdgeId edge;
        std::vector<std::pair<VarId, expr::Value>> data;
    };
    std::vector<Step> run;
    GraphStateId state;  // where nothing is possible
};

struct Coherence {
    base::Answer answer = base::Answer::holds;
    std::string reason;  // when undecided
    Incoherence incoherence;
};

Coherence coherence(const SymbolicGraph& graph, const Reachability& reach, solve::Solver& solver,
                    const base::Deadline& deadline = {});

}  // namespace treaty::symbolic
