// Roles with data as roles without: each message together with its values is a message of its own, "m(3)".
//
// The machines of all roles of a protocol (choreo/project.h), each run on its own with every value that
// matters (value_choice.h): a role holds its own variables, evaluates the guards that it can evaluate, may
// send every value that its part allows, and receives whatever some role may send to it if it fits what it
// knows. What comes out is a system of plain machines, deterministic and minimal, so that explore/ answers
// every question about it: a deadlock, an orphan message, an unspecified reception or a stuck role of the
// expanded system is one of the roles with data, and the labels of the run contain the values.
//
// A role that must send and has no allowed data to send, or that waits for a message that no role can send,
// has one edge, to receive something that is never sent ("m(no data is allowed)"): so it is not taken to
// rest.
//
// Exact: where there is a system, it is unsafe if and only if some run of the roles with data is. Values that
// no test depends on are not told apart ("m(_)"). Labels are numbered with the smallest values first, so that
// of equally short runs explore/ finds one with small values. Where values cannot be tried (unbounded and
// computed with, or too many) there is no system, and the fault names them.
//
// Cost: states of each role times the values it knows at once; bounded by the limits.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "choreo/machine_limits.h"
#include "model/protocol.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::symbolic {

struct ExpandLimits {
    std::size_t values = 64;      // of one field
    std::size_t messages = 5000;  // with their values, of all roles
    choreo::MachineLimits machine{
        .states = 50'000, .bytes = std::size_t{1} << 28, .deadline = {}};  // of one role
};

struct ExpandedValues {
    model::System system;  // over an alphabet of its own, which begins with the specification's
    // By label of the system: the same event without values, a label of the specification.
    std::vector<model::LabelId> plain;
};

// The message that a role must send and has no data for, given the name of what it waits for instead; empty
// if it is another name.
std::string_view without_data(std::string_view name);

base::Result<ExpandedValues> expand_values(const model::Specification& specification,
                                           const model::Protocol& protocol, model::Channels channels = {},
                                           const ExpandLimits& limits = {});

}  // namespace treaty::symbolic
