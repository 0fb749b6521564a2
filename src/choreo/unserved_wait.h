// A `wait` that can be reached and that nothing serves any more: the segment that waits there waits there
// for ever.
//
// Asked of the global net, so of whole conversations, where a `wait` is a step like any other. It is unserved
// after a run if the `wait` is due, no continuation takes it, and none comes to the end of the protocol.
// Machines of single roles cannot show this: a role whose net is stuck has nothing left to do.
//
// Data is ignored: for a protocol with data ask about the one with all its values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choreo/machine_limits.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

bool has_waits(const model::Protocol& protocol);

struct UnservedWait {
    std::vector<model::LabelId> run;  // the shortest, its interactions in order
    model::NodeId wait;
};

struct WaitResult {
    std::optional<UnservedWait> unserved;
    std::string reason;  // why it is not known; empty if it is
};

WaitResult find_unserved_wait(const model::Specification& specification, const model::Protocol& protocol,
                              const MachineLimits& limits = {});

}  // namespace treaty::choreo
