// A walk forward with two sets of roles: those that wait for the silent role, directly or through others, and
// those whose first message to it has been found. Both only grow along a path. Where paths meet after a
// choice, a role is in a set only if it is on every path; where parallel branches end, if it is in any.
#include "choreo/available_messages.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace treaty::choreo {
namespace {

using model::NodeId;
using model::NodeKind;
using model::RoleId;

class RoleSet {
public:
    bool has(RoleId r) const {
        return r.index / 64 < words_.size() && (words_[r.index / 64] >> (r.index % 64) & 1);
    }
    void add(RoleId r) {
        if (words_.size() <= r.index / 64) words_.resize(r.index / 64 + 1, 0);
        words_[r.index / 64] |= std::uint64_t{1} << (r.index % 64);
    }
    void keep(const RoleSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i)
            words_[i] &= i < other.words_.size() ? other.words_[i] : 0;
    }
    void add(const RoleSet& other) {
        if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
        for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    }
    bool within(const RoleSet& other) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            if (words_[i] & ~(i < other.words_.size() ? other.words_[i] : 0)) return false;
        return true;
    }

private:
    std::vector<std::uint64_t> words_;
};

struct State {
    RoleSet waiting, sent;
    void meet(const State& o) { waiting.keep(o.waiting), sent.keep(o.sent); }
    void join(const State& o) { waiting.add(o.waiting), sent.add(o.sent); }
    bool within(const State& o) const { return waiting.within(o.waiting) && sent.within(o.sent); }
};

class Availability {
public:
    Availability(const model::Protocol& protocol, RoleId receiver, std::span<const RoleId> senders)
        : protocol_(protocol), receiver_(receiver), senders_(senders) {}

    std::vector<NodeId> run(NodeId part, From from) {
        State state;
        state.waiting.add(receiver_);
        if (from == From::end || enter(part, state)) leave(part, state);
        while (!jumps_.empty()) {  // followed here, so that the stack stays as deep as the tree
            auto [loop, there] = std::move(jumps_.back());
            jumps_.pop_back();
            again(loop, std::move(there));
        }
        std::sort(found_.begin(), found_.end());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        return std::move(found_);
    }

private:
    bool settled(const State& s) const {
        return std::all_of(senders_.begin(), senders_.end(),
                           [&](RoleId r) { return s.waiting.has(r) || s.sent.has(r); });
    }

    // Gives whether the end can be reached with something still open; `state` is then the state there.
    bool enter(NodeId id, State& state) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        switch (node.kind) {
            case NodeKind::sequence:
                for (NodeId child : children)
                    if (!enter(child, state)) return false;
                return true;
            case NodeKind::interaction: interaction(id, node, state); return !settled(state);
            case NodeKind::choice:
            case NodeKind::conditional:
            case NodeKind::interrupt: return either(children, state);
            case NodeKind::parallel: return all(children, state);
            case NodeKind::repeat:
            case NodeKind::while_loop: {
                State round = state;
                enter(children[0], round);
                return true;
            }
            case NodeKind::recursion: heads_[id.index] = state; return enter(children[0], state);
            case NodeKind::jump: jumps_.push_back({protocol_.loop_node(node.loop), state}); return false;
            case NodeKind::assign:
            case NodeKind::signal:
            case NodeKind::wait: return true;
        }
        return true;
    }

    void interaction(NodeId id, const model::Node& node, State& state) {
        if (state.waiting.has(node.role)) {
            state.waiting.add(node.to);
        } else if (node.to == receiver_ && !state.sent.has(node.role)) {
            found_.push_back(id);
            state.sent.add(node.role);
        }
    }

    bool either(std::span<const NodeId> children, State& state) {
        State start = state;
        bool any = false;
        for (NodeId child : children) {
            State own = start;
            if (!enter(child, own)) continue;
            if (any)
                state.meet(own);
            else
                state = own;
            any = true;
        }
        return any;
    }

    bool all(std::span<const NodeId> children, State& state) {
        State start = state;
        bool every = true;
        for (NodeId child : children) {
            State own = start;
            every = enter(child, own) && every;
            state.join(own);
        }
        return every && !settled(state);
    }

    // Back at the head of a loop: another look is needed only if less is known than at the last one.
    bool worth_entering(NodeId loop, State& state) {
        auto [known, added] = heads_.try_emplace(loop.index, state);
        if (added) return true;
        if (known->second.within(state)) return false;
        known->second.meet(state);
        state = known->second;
        return true;
    }

    void again(NodeId loop, State state) {
        if (worth_entering(loop, state) && enter(protocol_.children(loop)[0], state)) leave(loop, state);
    }

    void leave(NodeId id, State state) {
        for (NodeId up = protocol_[id].parent; up; id = up, up = protocol_[id].parent) {
            auto children = protocol_.children(up);
            switch (protocol_[up].kind) {
                case NodeKind::sequence: {
                    auto at = std::lower_bound(children.begin(), children.end(), id);
                    for (++at; at != children.end(); ++at)
                        if (!enter(*at, state)) return;
                    break;
                }
                case NodeKind::repeat:
                case NodeKind::while_loop: {
                    State round = state;
                    if (!worth_entering(up, round)) return;
                    enter(children[0], round);
                    break;
                }
                case NodeKind::interrupt: {
                    State handler = state;
                    enter(children[1], handler);
                    break;
                }
                default: break;
            }
        }
    }

    const model::Protocol& protocol_;
    RoleId receiver_;
    std::span<const RoleId> senders_;
    std::vector<NodeId> found_;
    std::vector<std::pair<NodeId, State>> jumps_;      // recursions to be entered, and how
    absl::flat_hash_map<std::uint32_t, State> heads_;  // by loop: the least state it was entered with
};

}  // namespace

std::vector<NodeId> available_messages(const model::Protocol& protocol, RoleId receiver, NodeId part,
                                       From from, std::span<const RoleId> senders) {
    return Availability(protocol, receiver, senders).run(part, from);
}

}  // namespace treaty::choreo
