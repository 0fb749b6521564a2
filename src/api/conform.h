// conform: does an implementation do exactly what a specification allows, whatever the data?
//
// Both are protocols, machines, or machines that step together, as symbolic graphs (symbolic/conform.h). What
// the specification does not mention is hidden in the implementation. The verdict: holds for all values;
// fails, with a run; conditional, with the exact condition on the free variables and a run that goes wrong
// without it; undecided.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"

namespace treaty::api {

struct ConformQuestion {
    std::string implementation, specification;                    // files
    std::string implementation_protocol, specification_protocol;  // empty: the last one of the file
};

// How much work a comparison was.
struct ConformEffort {
    std::size_t pairs = 0;        // of states that can meet
    std::size_t evaluations = 0;  // of the condition of a pair
    std::size_t queries = 0;      // to the solver
    std::size_t remembered = 0;   // of them answered without asking it
};

// Names of states, or their numbers from 0.
struct StatePair {
    std::string implementation, specification;
};

struct ConformAnswer : Answer {
    std::optional<ConformEffort> effort;  // none: they were not compared
    std::optional<StatePair> differ;      // where the run of the witness ends
};

ConformAnswer conform(const Workspace& workspace, const ConformQuestion& question, const Context& context);

}  // namespace treaty::api
