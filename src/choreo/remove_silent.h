// A machine without plain silent edges, with the same traces and the same successful ends.
//
// Silent edges that carry data stay (fold_silent_data.h hands their data on where it can). States that
// cannot be reached are dropped, the rest are numbered breadth-first. Edges keep their source nodes.
// Cost: O(states * edges of the largest silent component) at worst, linear without silent edges.
#pragma once

#include "model/machine.h"

namespace treaty::choreo {

model::Machine remove_silent(const model::Machine& machine);

}  // namespace treaty::choreo
