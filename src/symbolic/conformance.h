// Does an implementation do exactly what a specification does, with all data? Symbolic branching bisimulation
// for conformance (Nguyen 2013, definitions 4 and 5, algorithm 3), loops included.
//
// For each pair of states there is one condition on the variables of both graphs: that the pair conforms. The
// conditions depend on each other; the weakest ones that satisfy all equations are wanted (the greatest
// fixpoint). The answer about the initial pair is: conforms for all values; for none, with a run; exactly
// under a condition on the free variables, quantifiers eliminated; or undecided with the reason.
//
// Which event matches another may depend on the data (early semantics): `m(let x)` conforms to a choice
// between `m(let x) where x > 5` and `m(let x) where x <= 5`, which is the same in other words. Nguyen's
// definition is late: one event has to match for all data. Silent steps may be in the implementation only.
// Both graphs are over one pool and share no variables (import_graph.h); the implementation is restricted to
// the specification's events first (restrict.h). Cost: pairs that can meet, times the solver's work; each
// pair is computed again when one it depends on has changed, up to a limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/limits.h"
#include "expr/evaluate.h"
#include "model/symbolic_graph.h"
#include "solve/solver.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphStateId;
using model::LabelId;
using model::SymbolicGraph;

enum class Mover : std::uint8_t { implementation, specification };

struct ConformanceStep {
    Mover mover = Mover::implementation;
    LabelId label;  // silent: a step of the implementation alone
    std::vector<std::pair<VarId, expr::Value>> data;
    GraphStateId implementation, specification;  // before the step
    model::NodeId node;                          // of the mover's edge
};

struct Mismatch {
    std::vector<ConformanceStep> run;
    GraphStateId implementation = SymbolicGraph::initial,
                 specification = SymbolicGraph::initial;  // where they differ
    std::string what;  // "the specification may end here, the implementation may not"
    // The side that can do more: end here, or the last event of the run. None if that was not found.
    std::optional<Mover> alone = {};
    bool ending = false;
};

struct Conformance {
    base::Answer answer = base::Answer::undecided;
    ExprId condition;    // when conditional
    std::string reason;  // when undecided
    Mismatch mismatch;   // when it fails, or is conditional: what goes wrong otherwise
    std::size_t pairs = 0;
    std::size_t evaluations = 0;
    // By pair: what was found for it, for people who want to see the equations.
    struct Pair {
        GraphStateId implementation, specification;
        ExprId condition;
    };
    std::vector<Pair> equations;
};

struct ConformanceLimits {
    std::size_t pairs = 50'000;
    std::size_t rounds = 16;  // of one pair
    base::Deadline deadline;
};

Conformance conformance(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                        solve::Solver& solver, const ConformanceLimits& limits = {});

}  // namespace treaty::symbolic
