// Moves guards and assignments of silent edges to the edges that follow them, where that is exact.
//
// A silent edge with data, to a state that is not final, is replaced by the edges after it, each with both
// guards and both lists of assignments (assignments run in order). It stays where its target is final (the
// guard decides whether the run may end there), where it is on a silent cycle, where an edge after it
// binds a variable that the silent edge reads or writes, and where the machine would grow beyond four times
// its size. Expects a machine without plain silent edges (remove_silent.h). Traces with their data and
// successful ends stay the same.
#pragma once

#include "model/machine.h"

namespace treaty::choreo {

model::Machine fold_silent_data(const model::Machine& machine);

}  // namespace treaty::choreo
