// Machines that may go on for ever by themselves: cycles, and cycles of sends that wait for nobody.
#pragma once

#include <vector>

#include "model/machine.h"

namespace treaty::testgen {

bool has_cycle(const model::Machine& machine);

// By state: whether it is on a cycle of sends and silent steps with a send in it, so that the machine may
// send for ever from there.
std::vector<bool> sends_for_ever(const model::Machine& machine);

// A shortest such cycle through the state, in order; empty if there is none.
std::vector<model::Edge> sending_cycle(const model::Machine& machine, model::StateId start);

}  // namespace treaty::testgen
