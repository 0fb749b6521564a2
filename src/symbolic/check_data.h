// The diagnostics of a check about the data of a protocol: interactions that can never happen, and
// runs after which the role that must send has nothing allowed to send.
//
// Bounded: a protocol that is too large or whose conditions are too hard is checked as far as it goes, and
// `complete` is then false.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/specification.h"
#include "solve/solver.h"
#include "symbolic/coherence.h"

namespace treaty::symbolic {

struct DataCheck {
    bool complete = true;
    std::string reason;               // why not
    std::size_t unreachable = 0;      // interactions
    std::vector<model::NodeId> open;  // interactions for which it is not known whether they can happen
    // Whether every obligation to send can be met, and if not a run after which it cannot.
    base::Answer coherent = base::Answer::undecided;
    std::string coherent_reason;  // when undecided
    Incoherence incoherence;
    SymbolicGraph graph;  // what the run is about
};

DataCheck check_data(const model::Specification& specification, const model::Protocol& protocol,
                     base::Diagnostics& diagnostics, const base::Deadline& deadline = {});

}  // namespace treaty::symbolic
