// What was never seen of the component's part, traced back to the decision that never went that way (Coto
// 2023, section 4.3), and how much was seen by other measures than steps.
//
// A step that was not seen is on a path through the protocol. The first block on that path of which nothing
// was seen is the reason: a branch of a choice that its decider never took, a loop without a round, a
// condition that never had this outcome, an interrupt that never came. If everything on the path was seen, or
// the step was due when a failure ended a session, it was just not reached.
#pragma once

#include <vector>

#include "model/protocol.h"
#include "roles/coverage.h"

namespace treaty::campaign {

struct Missing {
    enum class Cause : std::uint8_t { not_reached, choice, loop, condition, interruption };

    model::NodeId step;
    bool to_component = false;
    bool wrong = false, unread = false;  // see roles::Coverage::Step
    Cause cause = Cause::not_reached;
    model::NodeId at;  // the choice, the loop, the condition; none if it was not reached
    model::RoleId by;  // who decides there; none if data decides
};

// In the order of the protocol.
std::vector<Missing> missing_steps(const model::Protocol& protocol, const roles::Coverage& coverage);

struct Measure {
    std::size_t covered = 0, total = 0;
    void add(bool seen) {
        ++total;
        covered += seen;
    }
};

struct Measures {
    Measure messages;  // each in each direction
    Measure branches;  // of choices, loops and interruptions in which the component takes part
    Measure guards;    // outcomes of conditions, likewise
    std::map<model::RoleId, Measure> peers;  // steps with each other role
};

Measures measures(const model::Protocol& protocol, model::RoleId cut, const roles::Coverage& coverage);

}  // namespace treaty::campaign
