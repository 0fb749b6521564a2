// The whole question of conformance, from two graphs of any origin to an answer: brought over to one pool,
// restricted to the specification's events, compared.
#pragma once

#include <string>

#include "symbolic/conformance.h"

namespace treaty::symbolic {

struct ConformReport {
    Conformance conformance;
    SymbolicGraph implementation;  // as compared: over one pool with the specification, hidden events silent
    SymbolicGraph specification;
    std::string incomparable;  // why there is no answer at all; empty if there is one
    bool silent_specification = false;
    std::size_t queries = 0;     // to the solver
    std::size_t remembered = 0;  // of them answered without asking it
};

ConformReport conform(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                      const ConformanceLimits& limits = {}, const solve::SolverContext& context = {});

}  // namespace treaty::symbolic
