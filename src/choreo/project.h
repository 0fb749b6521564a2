// The machine of one role, or of a group of roles: what it must do, as a deterministic minimal machine.
//
// Coto 2023, definition 2.2, for any number of roles, with loops, recursion, data and interruption. Edges are
// the role's own sends and receives and keep the step of the protocol they come from. The machine is
// deterministic and minimal, its states numbered breadth-first from 0, so the same protocol always gives the
// same machine. Final states are those where the role may be finished; a state in which it has nothing left
// to do is final too, even if others go on for ever. Edges with different data are never merged; a silent
// edge remains only where it carries a guard or an assignment that no edge after it can take over.
//
// The machine of a group is the product of its members' machines (integration testing); it has no role.
// Parallel branches multiply here, and only here: limits. Without a machine the reason is given: a limit, an
// unbounded semaphore, or a `continue` that leaves a parallel branch.
#pragma once

#include <span>
#include <string>

#include "choreo/machine_limits.h"
#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::choreo {

MachineResult project(const model::Specification& specification, const model::Protocol& protocol,
                      model::RoleId role, const MachineLimits& limits = {});

MachineResult project(const model::Specification& specification, const model::Protocol& protocol,
                      std::span<const model::RoleId> group, const MachineLimits& limits = {});

// The machine of a role's own net (project_net.h), which may begin anywhere.
MachineResult role_machine(const model::Net& net, model::RoleId role, const MachineLimits& limits = {});

struct SystemResult {
    std::optional<model::System> system;
    base::StopReason stopped = base::StopReason::none;
    std::string reason;  // empty exactly if there is a system
    explicit operator bool() const { return system.has_value(); }
};

// The projections of all declared roles, in their order, over the given channels.
SystemResult make_projected_system(const model::Specification& specification, const model::Protocol& protocol,
                                   model::Channels channels = {}, const MachineLimits& limits = {});

// The same with all data left out. Branches that a role could tell apart only by data are one branch to it,
// and every condition may or may not hold: the roles do at least what they do with data.
SystemResult make_plain_system(const model::Specification& specification, const model::Protocol& protocol,
                               model::Channels channels = {}, const MachineLimits& limits = {});

}  // namespace treaty::choreo
