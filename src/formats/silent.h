// Removal of silent steps from one machine that is being read.
//
// The result has the same runs and completed runs, only states that are reachable, and no silent step; state
// 0 stays the initial one. Not minimal and not made deterministic. Gives nothing when more than `budget`
// steps of work would be needed: silent chains can square the number of edges.
#pragma once

#include <cstddef>
#include <optional>

#include "model/machine.h"

namespace treaty::formats {

bool has_silent_step(const model::Machine& machine);

std::optional<model::Machine> without_silent_steps(const model::Machine& machine, std::size_t budget);

}  // namespace treaty::formats
