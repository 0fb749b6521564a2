// What an operator does for each item of a collection (`all x in xs: p`), item by item.
//
// For code that cannot go through a collection itself, such as the solver: where the items are known
// expressions (`[a, b + 1]`, a literal), the function is written out for each of them.
#pragma once

#include <optional>
#include <vector>

#include "expr/pool.h"

namespace treaty::expr {

struct ItemBodies {
    std::vector<ExprId> items;
    // The function applied to each; of a fold what it comes to after each item, so the last is the result.
    std::vector<ExprId> bodies;
};

// Nothing if the items are not known one by one, or are too many. The operator is one of for_all to fold.
std::optional<ItemBodies> item_bodies(Pool& pool, ExprId id);

}  // namespace treaty::expr
