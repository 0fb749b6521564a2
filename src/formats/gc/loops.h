// Recognises a `rec` that is a loop in disguise.
//
//     rec L { choice at R { G ; continue L } or { H } }    is    repeat R { G } ; H
//
// with any number of branches of either kind, where every `continue L` ends its branch. R decides before
// each round in both, so the two have the same runs. A recursion without any `continue` is just its body.
#pragma once

#include <optional>
#include <vector>

#include "model/protocol.h"

namespace treaty::formats::gc {

struct LoopShape {
    model::NodeId choice;
    std::vector<model::NodeId> again;  // branches that end with the jump, which is not a part of the round
    std::vector<model::NodeId> leave;
};

// Of a recursion; nothing if it is not of that shape.
std::optional<LoopShape> loop_shape(const model::Protocol& protocol, model::NodeId recursion);

// Whether any jump to the recursion's label is inside the subtree.
bool jumps_to(const model::Protocol& protocol, model::LoopId loop, model::NodeId subtree);

// The steps of a node in order: sequences opened, choices and forks of one branch and recursions without
// a jump replaced by what is in them.
std::vector<model::NodeId> steps_of(const model::Protocol& protocol, model::NodeId node);

}  // namespace treaty::formats::gc
