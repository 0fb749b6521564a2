// What one role knows where: which guards, arguments and computations of a protocol it can evaluate itself.
//
// A role knows a value after it has sent or received it, and after a computation from values it knows; it
// loses it when others bind the variable anew. Around a loop only what survives every round counts; after a
// choice only what every branch that ends leaves known. Cost: linear in the protocol for each of the few
// sweeps that loops need.
#pragma once

#include <vector>

#include "expr/pool.h"
#include "model/protocol.h"

namespace treaty::choreo {

struct RoleKnowledge {
    // By node: conditional, while, assign: whether the role can evaluate the expression when it gets there;
    // interaction: whether it can check `where` once the message is there.
    std::vector<bool> guard;
    // By position in the protocol's table of arguments: whether the value was known before the message.
    std::vector<bool> argument;

    bool knows_argument(std::size_t position) const {
        return position < argument.size() && argument[position];
    }
};

RoleKnowledge knowledge_of(const model::Protocol& protocol, const expr::Pool& pool, model::RoleId role);

}  // namespace treaty::choreo
