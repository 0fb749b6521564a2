// The smallest machine that behaves like a deterministic one.
//
// Two states become one if they are both final or both not, offer the same labels (with equal data), and
// lead to states that become one: the coarsest such merging, that is strong bisimilarity. It keeps traces and
// successful ends. States are numbered breadth-first with edges in a fixed order, so equivalent deterministic
// machines give the same result. An edge keeps the first of the source nodes it represents. Cost: O(edges *
// log edges) for deterministic machines, O(states * edges) at worst for others.
#pragma once

#include "model/machine.h"

namespace treaty::choreo {

model::Machine minimise(const model::Machine& machine);

}  // namespace treaty::choreo
