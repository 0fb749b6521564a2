// A deterministic machine with the same traces and the same successful ends.
//
// No plain silent edges, and at most one edge a state for each label and data; edges whose data differ stay
// apart, since which of them applies is known only when messages flow. A state is final if one of the states
// it represents is. States are numbered breadth-first, edges in a fixed order. An edge that represents
// several keeps the source node of the first. The subset construction may need exponentially many states:
// limits.
#pragma once

#include "choreo/machine_limits.h"
#include "model/machine.h"

namespace treaty::choreo {

MachineResult determinise(const model::Machine& machine, const MachineLimits& limits = {});

}  // namespace treaty::choreo
