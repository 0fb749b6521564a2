// Net to Machine: one state a reachable marking, one edge a firing.
//
// Data is not run: an edge carries its transition's guard, arguments, predicate and assignments, so the
// result is a symbolic machine over the same variables. A state is final where the net ends successfully.
// States are numbered in breadth-first order. An unbounded place (a semaphore signalled for ever, say) is
// recognised and reported; it is never run into. Cost: O(firings * marked places), however many tokens there
// are.
#pragma once

#include "choreo/machine_limits.h"
#include "model/net.h"

namespace treaty::choreo {

MachineResult net_machine(const model::Net& net, const MachineLimits& limits = {}, model::RoleId role = {});

}  // namespace treaty::choreo
