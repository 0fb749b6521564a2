// One search of some groups of a system, reduced or not, with everything that is unsafe in it.
//
// What explore() (safety.h) is made of: it chooses the groups and the capacities of channels, this searches.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/memory.h"
#include "explore/safety.h"
#include "explore/search.h"
#include "explore/system_program.h"

namespace treaty::explore {

struct GroupResult {
    SearchOutcome outcome;
    std::vector<Unsafe> unsafe;  // at most one per kind, no unbounded_channel
    // If a message did not fit a guessed capacity, the search ended at the end of that level:
    std::vector<std::size_t> overflowed;  // channels, by position in Semantics::channels()
    Run overflow;                         // a run whose last step is such a message
};

GroupResult search_groups(const SystemProgram& program, bool reduce, const ExploreOptions& options,
                          Budget& budget);

}  // namespace treaty::explore
