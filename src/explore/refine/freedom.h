// Three questions about one process: can it get stuck, can it run silently for ever, does it answer the same
// to the same?
//
// Deadlock: a reachable stable state that offers nothing and has not ended. Divergence: a reachable cycle of
// silent steps. Not deterministic: after some trace an event may both happen and be refused, or (with
// divergences observed) the process diverges. Counterexamples are shortest in visible events. Limits as in
// refine.h. Cost: linear for the first two; the normal form, at worst exponential, for the third.
#pragma once

#include "explore/refine/refine.h"

namespace treaty::explore {

struct FreedomReport {
    base::Answer answer = base::Answer::undecided;
    std::string reason;
    std::vector<model::LabelId> trace;  // if it fails: visible events that lead there
    std::uint64_t states = 0;
    base::StopReason stopped = base::StopReason::none;
};

FreedomReport deadlock_free(Graph& graph, const Limits& limits = {});
FreedomReport divergence_free(Graph& graph, const Limits& limits = {});
FreedomReport deterministic(Graph& graph, Observation observation, const Limits& limits = {});

}  // namespace treaty::explore
