// Which step of its part each message of a role was, once a session is over.
//
// When a message comes, that may not be known: with several connections, what tells two branches apart can
// come after what is alike in them. At the end everything is there, and one run of the role that explains all
// of it determines which step each message was.
#pragma once

#include <span>
#include <vector>

#include "track/inference.h"

namespace treaty::track {

struct SeenEvent {
    model::LabelId label;
    std::span<const expr::Value> values;
    std::vector<model::NodeId> steps = {};  // only one of these, as far as its other side knows; empty: any
};

// events: in the order in which the other side sent and received them. The step of each, in a run of the role
// that sends all that was seen and takes as much as it can of what was sent to it, the order on each channel
// kept; where there are several such runs, one of them. The role may have sent more than was seen, after what
// was seen on that channel. What it did not take has no step. Empty if no run is found among the first
// `limit` situations, or none takes or sends anything. ended: rather a
// run after which the role has finished.
std::vector<model::NodeId> steps_of_run(Inference& inference, std::span<const SeenEvent> events,
                                        bool ended = false, std::size_t limit = 20'000);

}  // namespace treaty::track
