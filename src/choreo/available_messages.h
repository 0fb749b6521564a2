// The messages that may reach a role before it does anything in a part of a protocol.
//
// The role has come to the start of `part` (or to its end) and does nothing more. The others go on as far as
// they can without it; a role that waits for something which depends on the silent one goes no further. Given
// are the interactions whose message may then be the first on its way from one of `senders` to the role.
// Over FIFO channels these, and only these, are what the role may find waiting for it.
//
// The answer may hold too much, never too little: after a choice a role counts as waiting only if it waits
// after every branch. Cost: linear in what can be reached, less when all senders are soon settled.
#pragma once

#include <span>
#include <vector>

#include "model/protocol.h"

namespace treaty::choreo {

enum class From : std::uint8_t { start, end };

std::vector<model::NodeId> available_messages(const model::Protocol& protocol, model::RoleId receiver,
                                              model::NodeId part, From from,
                                              std::span<const model::RoleId> senders);

}  // namespace treaty::choreo
