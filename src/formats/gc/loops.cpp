#include "formats/gc/loops.h"

#include <algorithm>

namespace treaty::formats::gc {

using model::NodeId;
using model::NodeKind;

bool jumps_to(const model::Protocol& protocol, model::LoopId loop, NodeId subtree) {
    for (std::uint32_t i = subtree.index; i < protocol[subtree].subtree_end; ++i) {
        const model::Node& n = protocol[NodeId(i)];
        if (n.kind == NodeKind::jump && n.loop == loop) return true;
    }
    return false;
}

std::vector<NodeId> steps_of(const model::Protocol& protocol, NodeId node) {
    std::vector<NodeId> steps, pending{node};
    while (!pending.empty()) {
        NodeId id = pending.back();
        pending.pop_back();
        const model::Node& n = protocol[id];
        bool single = (n.kind == NodeKind::choice || n.kind == NodeKind::parallel) && n.child_count == 1;
        bool bare = n.kind == NodeKind::recursion && !jumps_to(protocol, n.loop, id);
        if (n.kind != NodeKind::sequence && !single && !bare) {
            steps.push_back(id);
            continue;
        }
        auto children = protocol.children(id);
        pending.insert(pending.end(), children.rbegin(), children.rend());
    }
    return steps;
}

std::optional<LoopShape> loop_shape(const model::Protocol& protocol, NodeId recursion) {
    const model::Node& rec = protocol[recursion];
    std::vector<NodeId> body = steps_of(protocol, protocol.children(recursion)[0]);
    if (body.size() != 1) return std::nullopt;
    const model::Node& choice = protocol[body[0]];
    if (choice.kind != NodeKind::choice || !choice.role) return std::nullopt;

    LoopShape shape;
    shape.choice = body[0];
    for (NodeId branch : protocol.children(body[0])) {
        if (!jumps_to(protocol, rec.loop, branch)) {
            shape.leave.push_back(branch);
            continue;
        }
        std::vector<NodeId> steps = steps_of(protocol, branch);
        const model::Node& last = protocol[steps.back()];
        if (last.kind != NodeKind::jump || last.loop != rec.loop) return std::nullopt;
        steps.pop_back();
        bool elsewhere = std::any_of(steps.begin(), steps.end(),
                                     [&](NodeId step) { return jumps_to(protocol, rec.loop, step); });
        if (elsewhere) return std::nullopt;
        shape.again.push_back(branch);
    }
    if (shape.again.empty() || shape.leave.empty()) return std::nullopt;
    return shape;
}

}  // namespace treaty::formats::gc
