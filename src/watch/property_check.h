// Whether properties of traffic can hold at all, given the protocol: Nguyen 2013, algorithm 9, by solving.
//
// A property is correct if no run of the protocol violates it and some run passes it; violated, with a run;
// vacuous if no run ever decides it; undecided where a limit was reached. A local property is asked of the
// part of its role, a global one of the whole (definitions 18 and 20). Beyond the paper's bound on the length
// of paths, loops are decided too: a local property looks at a few messages in a row, so if no such row
// violates it from any state, with any values that the state can have, no run of any length does. Time is not
// part of a protocol: with a distance in time, a consequence may come at any later point.
#pragma once

#include <string>
#include <vector>

#include "base/limits.h"
#include "model/specification.h"

namespace treaty::watch {

enum class PropertyStatus : std::uint8_t { correct, violated, vacuous, undecided };
std::string_view to_string(PropertyStatus status);

struct RunStep {
    model::LabelId label;
    std::vector<expr::Value> values;  // of the message's fields
};

struct PropertyCheckResult {
    PropertyStatus status = PropertyStatus::undecided;
    std::string reason;        // in one line
    std::vector<RunStep> run;  // violated: that run; correct: one that passes
    std::size_t queries = 0;   // to the solver
};

struct PropertyCheckLimits {
    std::size_t depth = 24;      // messages of a run
    std::size_t paths = 20'000;  // looked at, of each kind
    base::Deadline deadline;
};

PropertyCheckResult check_property(const model::Specification& specification, const model::Protocol& protocol,
                                   std::uint32_t property, const PropertyCheckLimits& limits = {});

}  // namespace treaty::watch
