// The part of one role, or of a group of roles, as a Net.
//
// Labelled transitions are the role's own sends and receives, with what it can know of their data; the
// rest of the protocol leaves only silent steps, and those only where the role's part needs them (the net
// is reduced). Parallel branches stay apart, so the net is never larger than the protocol: build a machine
// from it only where one is needed (project.h). A computation whose result the role never uses is left out; a
// variable that is read must have been bound before, or have a presence (choreo/value_presence.h). The net of
// a group is the nets of its members side by side: every member keeps its own sends and receives, also those
// among members.
//
// No result where compile_net.h has none. Coto 2023, definition 2.2, with loops, data and interruption.
#pragma once

#include <optional>
#include <span>

#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

std::optional<model::Net> project_net(const model::Specification& specification,
                                      const model::Protocol& protocol, model::RoleId role);

// A group must have a member; a role named twice counts once.
std::optional<model::Net> project_net(const model::Specification& specification,
                                      const model::Protocol& protocol, std::span<const model::RoleId> group);

}  // namespace treaty::choreo
