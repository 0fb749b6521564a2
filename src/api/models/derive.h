// What the engines make of a protocol, for the verbs: nets, machines, systems.
//
// If there is no result, the inquiry has the reason: a fault of the protocol is reported, a limit that was
// reached makes the answer "undecided". The verb then only has to finish().
#pragma once

#include <optional>
#include <span>

#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "choreo/machine_limits.h"
#include "model/machine.h"
#include "model/net.h"
#include "model/system.h"

namespace treaty::api {

// Of the roles together; of the whole protocol if none is given.
std::optional<model::Net> derive_net(const Inquiry& inquiry, const ProtocolInput& input,
                                     std::span<const model::RoleId> roles = {});
std::optional<model::Machine> derive_machine(const Inquiry& inquiry, const ProtocolInput& input,
                                             std::span<const model::RoleId> roles = {});

std::optional<model::Machine> machine_of_net(const Inquiry& inquiry, const model::Net& net);

// The machines of all roles.
std::optional<model::System> derive_system(const Inquiry& inquiry, const ProtocolInput& input,
                                           model::Channels channels, const choreo::MachineLimits& limits);

// The same without their data (choreo/project.h).
std::optional<model::System> derive_plain_system(const Inquiry& inquiry, const ProtocolInput& input,
                                                 model::Channels channels,
                                                 const choreo::MachineLimits& limits);

// The reachable configurations of a system as one machine. It is built plainly, for looking at: there is a
// limit on it, unless --limit-states sets another.
std::optional<model::Machine> derive_space(const Inquiry& inquiry, const model::System& system,
                                           std::uint64_t limit);

}  // namespace treaty::api
