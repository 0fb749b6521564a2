// Is a system safe, also where a channel can grow without bound?
//
// explore() (safety.h) searches the configurations there are. Where a sender never has to wait there are
// infinitely many, which by itself is not a fault: "A sends m to B again and again" is an ordinary protocol.
// Then a capacity that is as good as none is looked for (exhaustive_bound.h), and searching with it is exact.
// Where there is none, small capacities are searched for faults that do not depend on the capacity; none
// found is undecided.
//
// The report never has an unbounded_channel among its unsafe configurations: growth is reported separately.
#pragma once

#include <optional>

#include "explore/safety.h"

namespace treaty::explore {

struct SafetyVerdict {
    ExploreReport report;
    std::optional<Unsafe> growth;  // a channel that can grow for ever, and the run that makes it grow
    std::optional<std::uint32_t>
        bound;                 // the capacity that the answer was found with, though there is no bound
    bool exact_bound = false;  // searching with that capacity shows every fault
    bool same_words = true;    // and every order of events, up to those of different machines
};

SafetyVerdict judge_safety(const model::System& system, const ExploreOptions& options = {});

// The same machines over other channels.
model::System with_channels(const model::System& system, model::Channels channels);

}  // namespace treaty::explore
