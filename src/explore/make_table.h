// The table for a search: plain, or compressed on request.
#pragma once

#include <memory>

#include "explore/memory.h"
#include "explore/state_table.h"
#include "explore/tree_table.h"

namespace treaty::explore {

// Null if the budget does not allow even an empty one.
template <int W>
std::unique_ptr<Table<W>> make_table(const Space<W>& space, Budget& budget, unsigned threads, bool compress) {
    if (compress) return TreeTable<W>::make(budget, space.bits());
    return StateTable<W>::make(budget, threads);
}

}  // namespace treaty::explore
