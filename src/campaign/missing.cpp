#include "campaign/missing.h"

#include <algorithm>

namespace treaty::campaign {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;

// How many steps of a subtree there are, and how many were seen: both by sums over the nodes before.
class Sums {
public:
    Sums(const model::Protocol& protocol, const roles::Coverage& coverage)
        : protocol_(protocol), steps_(protocol.size() + 1, 0), seen_(protocol.size() + 1, 0) {
        for (const roles::Coverage::Step& s : coverage.steps) {
            if (!s.node) continue;
            ++steps_[s.node.index + 1];
            seen_[s.node.index + 1] += s.seen > 0;
        }
        for (std::size_t i = 1; i < steps_.size(); ++i) {
            steps_[i] += steps_[i - 1];
            seen_[i] += seen_[i - 1];
        }
    }
    bool any_step(NodeId n) const { return steps_[protocol_[n].subtree_end] > steps_[n.index]; }
    bool any_seen(NodeId n) const { return seen_[protocol_[n].subtree_end] > seen_[n.index]; }

private:
    const model::Protocol& protocol_;
    std::vector<std::size_t> steps_, seen_;
};

Missing::Cause cause_of(NodeKind kind) {
    switch (kind) {
        case NodeKind::choice: return Missing::Cause::choice;
        case NodeKind::repeat: return Missing::Cause::loop;
        case NodeKind::while_loop:
        case NodeKind::conditional: return Missing::Cause::condition;
        case NodeKind::interrupt: return Missing::Cause::interruption;
        default: return Missing::Cause::not_reached;
    }
}

// Nodes from the root to this one.
std::vector<NodeId> path_to(const model::Protocol& protocol, NodeId node) {
    std::vector<NodeId> path;
    for (NodeId n = node;; n = protocol[n].parent) {
        path.push_back(n);
        if (n == protocol.root()) break;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace

std::vector<Missing> missing_steps(const model::Protocol& protocol, const roles::Coverage& coverage) {
    Sums sums(protocol, coverage);
    std::vector<Missing> result;
    for (const roles::Coverage::Step& s : coverage.steps) {
        if (s.seen > 0 || !s.node) continue;
        Missing& m = result.emplace_back();
        m.step = s.node;
        m.to_component = s.to_component;
        m.wrong = s.wrong;
        m.unread = s.unread;
        std::vector<NodeId> path = path_to(protocol, s.node);
        // What was due was decided on; it just did not come.
        for (std::size_t i = 0; i + 1 < path.size() && !s.due; ++i) {
            const Node& block = protocol[path[i]];
            Missing::Cause cause = cause_of(block.kind);
            if (cause == Missing::Cause::not_reached || sums.any_seen(path[i + 1])) continue;
            // The first block of an interruption is not its decision.
            if (cause == Missing::Cause::interruption && protocol.children(path[i])[0] == path[i + 1])
                continue;
            m.cause = cause;
            m.at = path[i];
            m.by = cause == Missing::Cause::condition ? model::RoleId() : block.role;
            // The role that sends first in the interruption decides on it.
            if (cause == Missing::Cause::interruption)
                for (std::size_t n = path[i + 1].index; n < protocol[path[i + 1]].subtree_end && !m.by; ++n)
                    if (protocol[NodeId(n)].kind == NodeKind::interaction) m.by = protocol[NodeId(n)].role;
            break;
        }
    }
    return result;
}

Measures measures(const model::Protocol& protocol, model::RoleId cut, const roles::Coverage& coverage) {
    Sums sums(protocol, coverage);
    Measures result;
    std::map<std::pair<std::uint32_t, bool>, bool> messages;
    for (const roles::Coverage::Step& s : coverage.steps) {
        if (!s.node) continue;
        const Node& n = protocol[s.node];
        bool& seen = messages[{n.message.index, s.to_component}];
        seen = seen || s.seen > 0;
        result.peers[n.role == cut ? n.to : n.role].add(s.seen > 0);
    }
    for (const auto& [message, seen] : messages) result.messages.add(seen);
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        Missing::Cause cause = cause_of(protocol[NodeId(i)].kind);
        if (cause == Missing::Cause::not_reached) continue;
        auto children = protocol.children(NodeId(i));
        for (std::size_t k = cause == Missing::Cause::interruption ? 1 : 0; k < children.size(); ++k)
            if (sums.any_step(children[k]))
                (cause == Missing::Cause::condition ? result.guards : result.branches)
                    .add(sums.any_seen(children[k]));
    }
    return result;
}

}  // namespace treaty::campaign
