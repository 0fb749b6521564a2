#include "choreo/participants.h"

#include <algorithm>

namespace treaty::choreo {

using model::NodeId;
using model::RoleId;

namespace {

NodeId first_from(const std::vector<NodeId>& list, NodeId from) {
    auto it = std::lower_bound(list.begin(), list.end(), from);
    return it == list.end() ? NodeId() : *it;
}

}  // namespace

Participants::Participants(const model::Protocol& protocol) : protocol_(&protocol) {
    auto& lists = interactions_;
    for (RoleId role : protocol.roles())
        if (role.index >= lists.size()) lists.resize(role.index + 1);
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[NodeId(i)];
        if (node.kind == model::NodeKind::interaction) {
            lists[node.role.index].push_back(NodeId(i));
            lists[node.to.index].push_back(NodeId(i));
        } else if (node.kind == model::NodeKind::jump) {
            jumps_.push_back(NodeId(i));
        }
    }
}

NodeId Participants::next(RoleId role, NodeId from) const {
    return role.index < interactions_.size() ? first_from(interactions_[role.index], from) : NodeId();
}

NodeId Participants::next_jump(NodeId from) const {
    return first_from(jumps_, from);
}

std::vector<RoleId> Participants::of(NodeId subtree) const {
    std::vector<RoleId> result;
    std::uint32_t end = (*protocol_)[subtree].subtree_end;
    if (end - subtree.index <= interactions_.size()) {
        for (std::uint32_t i = subtree.index; i < end; ++i) {
            const model::Node& node = (*protocol_)[NodeId(i)];
            if (node.kind == model::NodeKind::interaction) result.insert(result.end(), {node.role, node.to});
        }
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
    } else {
        for (std::size_t r = 0; r < interactions_.size(); ++r)
            if (takes_part(RoleId(r), subtree)) result.push_back(RoleId(r));
    }
    return result;
}

}  // namespace treaty::choreo
