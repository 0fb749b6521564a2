// Machines that may go on for ever by themselves: cycles, and cycles of sends that never wait. And what
// they can still receive at most, beyond which a message is left over for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/configuration.h"
#include "model/machine.h"

namespace treaty::testgen {

bool has_cycle(const model::Machine& machine);

// By state: whether it is on a cycle of sends and silent steps with a send in it, so that the machine may
// send for ever from there.
std::vector<bool> sends_for_ever(const model::Machine& machine);

// A shortest such cycle through the state, in order; empty if there is none.
std::vector<model::Edge> sending_cycle(const model::Machine& machine, model::StateId start);

// By state: how many messages of the channel the machine can still receive, at most. For machines without
// cycles; of others, no more is counted than on a path of as many edges as there are states.
std::vector<std::uint32_t> most_receives(const model::Machine& machine, const explore::Channel& channel);

}  // namespace treaty::testgen
