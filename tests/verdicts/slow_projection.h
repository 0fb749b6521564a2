// What each role of a protocol does, found the plain way: run the protocol as a whole, one event at a time,
// and keep for each role the set of places the whole may be in, given what that role has seen.
//
// The whole runs strictly in the order of the text here; sends and receives are events of their own only so
// that the segments of a `par` can cross. That is enough for one role's view: it sees its own events in the
// order of the text, and those of different segments in any order. A set is final, and the role
// may stop there, if the whole can come to its end without the role, or if nothing more can come for it.
#pragma once

#include <string>
#include <vector>

#include "flow.h"

namespace treaty::verdicts {

struct Event {
    bool send = true;
    int interaction = 0;
    friend auto operator<=>(const Event&, const Event&) = default;
};

// Deterministic, smallest, state 0 first.
struct LocalMachine {
    std::vector<std::vector<std::pair<Event, int>>> out;
    std::vector<bool> final;
};

struct Projections {
    std::vector<LocalMachine> machines;  // by role
    bool dead = false;                   // conditions can leave nobody anything to do before the end
    bool too_large = false;
};

Projections project_slowly(const Flow& flow, std::size_t roles, std::size_t max_states = 4000);

std::string print(const Flow& flow, const std::vector<std::string>& roles, const Event& event);

}  // namespace treaty::verdicts
