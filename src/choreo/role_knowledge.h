// What one role knows where: which guards, arguments and computations of a protocol it can evaluate itself.
//
// The rules are those of model/knowledge.h; this is its answer for one role, by node.
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
