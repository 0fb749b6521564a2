#include "choreo/initial_actions.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

namespace treaty::choreo {

using model::NodeId;
using model::NodeKind;
using model::RoleId;

class InitialActions::Walk {
public:
    Walk(const InitialActions& all, RoleId role, NodeId decision)
        : all_(all), role_(role), decision_(decision) {}

    // Gives whether the end can be reached without an action of the role.
    bool enter(NodeId id) {
        if (id == decision_) return found_.returns = true, false;
        if (!concerned(id)) return all_.endings_.ends(id);
        const model::Node& node = all_.protocol_[id];
        auto children = all_.protocol_.children(id);
        switch (node.kind) {
            case NodeKind::sequence: return enter_from(id, 0);
            case NodeKind::interaction: return act(id, node);
            case NodeKind::choice:
            case NodeKind::conditional:
            case NodeKind::interrupt: {
                bool one = false;
                for (NodeId child : children) one = enter(child) || one;
                return one;
            }
            case NodeKind::parallel: {
                bool all = true;
                for (NodeId child : children) all = enter(child) && all;
                return all;
            }
            case NodeKind::repeat:
            case NodeKind::while_loop: enter(children[0]); return true;
            case NodeKind::recursion: heads_.insert(id.index); return enter(children[0]);
            case NodeKind::jump: {
                NodeId loop = all_.protocol_.loop_node(node.loop);
                if (heads_.insert(loop.index).second) jumps_.push_back(loop);
                return false;
            }
            case NodeKind::assign:
            case NodeKind::signal:
            case NodeKind::wait: return true;
        }
        return true;
    }

    // What comes after the end of a node.
    void leave(NodeId id) {
        for (NodeId up = all_.protocol_[id].parent;; id = up, up = all_.protocol_[id].parent) {
            if (!up) {
                found_.finishes = true;
                return;
            }
            switch (all_.protocol_[up].kind) {
                case NodeKind::sequence: {
                    auto children = all_.protocol_.children(up);
                    auto at = std::lower_bound(children.begin(), children.end(), id) - children.begin();
                    if (!enter_from(up, static_cast<std::size_t>(at) + 1)) return;
                    break;
                }
                case NodeKind::repeat:
                case NodeKind::while_loop:
                    if (up == decision_) {
                        found_.returns = true;
                        return;
                    }
                    if (!heads_.insert(up.index).second) return;
                    enter(all_.protocol_.children(up)[0]);
                    break;
                case NodeKind::interrupt:
                    if (id == all_.protocol_.children(up)[0]) enter(all_.protocol_.children(up)[1]);
                    break;
                default: break;
            }
        }
    }

    // Jumps are followed once the walk that met them is done, so that the stack stays as deep as the tree.
    void follow_jumps() {
        while (!jumps_.empty()) {
            NodeId loop = jumps_.back();
            jumps_.pop_back();
            if (enter(all_.protocol_.children(loop)[0])) leave(loop);
        }
    }

    FirstActions found() {
        follow_jumps();
        auto& list = found_.actions;
        std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
        auto same = [](const auto& a, const auto& b) { return a.node == b.node; };
        list.erase(std::unique(list.begin(), list.end(), same), list.end());
        return std::move(found_);
    }
    void set_passes(bool passes) { found_.passes = passes; }

private:
    bool concerned(NodeId id) const {
        return all_.participants_.takes_part(role_, id) || all_.participants_.has_jump(id);
    }

    // The children of a sequence from the i-th on; those between two that concern the role are skipped.
    bool enter_from(NodeId sequence, std::size_t i) {
        auto children = all_.protocol_.children(sequence);
        while (i < children.size()) {
            NodeId next = std::min(all_.participants_.next(role_, children[i]),
                                   all_.participants_.next_jump(children[i]));  // none is the greatest
            if (next.index >= all_.protocol_[sequence].subtree_end) return true;
            auto after =
                std::upper_bound(children.begin() + static_cast<std::ptrdiff_t>(i), children.end(), next);
            i = static_cast<std::size_t>(after - children.begin());
            if (!enter(children[i - 1])) return false;
        }
        return true;
    }

    bool act(NodeId id, const model::Node& node) {
        bool output = node.role == role_;
        if (!output && node.to != role_) return true;
        model::Alphabet& alphabet = *all_.specification_.alphabet;
        auto label = output ? alphabet.send(node.role, node.to, node.message)
                            : alphabet.receive(node.role, node.to, node.message);
        found_.actions.push_back({label, id, output});
        return false;
    }

    const InitialActions& all_;
    RoleId role_;
    NodeId decision_;
    FirstActions found_;
    absl::flat_hash_set<std::uint32_t> heads_;  // loops entered already, or to be
    std::vector<NodeId> jumps_;                 // recursions to be entered
};

InitialActions::InitialActions(const model::Specification& specification, const model::Protocol& protocol,
                               const Participants& participants)
    : specification_(specification), protocol_(protocol), participants_(participants), endings_(protocol) {}

FirstActions InitialActions::inside(NodeId part, RoleId role, NodeId decision) const {
    Walk walk(*this, role, decision);
    walk.set_passes(walk.enter(part));
    return walk.found();
}

FirstActions InitialActions::after(NodeId part, RoleId role, NodeId decision) const {
    Walk walk(*this, role, decision);
    walk.leave(part);
    return walk.found();
}

}  // namespace treaty::choreo
