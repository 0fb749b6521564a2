// The result is first built as a tree of copies, then pruned, then handed to the builder.
//
// A part from which a jump may leave is copied together with what follows it inside the loop that the jump
// belongs to: the branch that jumps must not be followed by it, the others must. So such parts take a
// continuation, a list of what is still to come, and put it where a branch ends normally. A jump drops the
// continuation and starts a copy of the loop's body, or is cut when the loop was continued often enough. A
// recursion that no outer jump leaves is a block of its own, and what follows it is copied only once.
#include "choreo/unfold.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "model/endings.h"
#include "model/protocol_edit.h"

namespace treaty::choreo {
namespace {

using model::LoopId;
using model::NodeId;
using model::NodeKind;

using CopyId = std::uint32_t;

struct Copy {
    NodeKind kind;
    NodeId source;
    std::vector<CopyId> children;
    bool cut = false;    // a jump beyond the bound
    bool block = false;  // a recursion that no outer jump leaves
    bool dead = false;   // every way through it is cut
};

// What is still to come, innermost first. Frames are shared between branches.
struct Frame {
    enum class Kind : std::uint8_t { rest_of_sequence, round_of_loop } kind;
    NodeId node;                 // the sequence, or the loop
    std::uint32_t position = 0;  // of the next child, or rounds left
    std::shared_ptr<Frame> next;
};
using Continuation = std::shared_ptr<Frame>;

class Unfolder {
public:
    Unfolder(const model::Protocol& protocol, std::uint32_t times, std::size_t max_nodes)
        : protocol_(protocol), endings_(protocol), times_(times), max_nodes_(max_nodes) {
        budgets_.resize(protocol.loop_count(), 0);
        ends_.resize(protocol.loop_count());
    }

    Unfolding run() {
        CopyId root = copy(protocol_.root());
        if (!reason_.empty()) return {std::nullopt, false, reason_};
        prune(root);
        if (copies_[root].dead) {
            truncated_ = true;
            revive(root);
        }
        std::vector<model::RoleId> roles(protocol_.roles().begin(), protocol_.roles().end());
        model::ProtocolBuilder builder(std::string(protocol_.name()), protocol_.span(), roles);
        emit(root, builder);
        auto result = builder.finish();
        if (!result) return {std::nullopt, false, builder.fault()};
        return {std::move(result), truncated_, {}};
    }

private:
    bool leaves(NodeId id) const { return endings_.leaves(id); }

    CopyId make(NodeKind kind, NodeId source, std::vector<CopyId> children = {}) {
        if (copies_.size() >= max_nodes_) reason_ = fmt::format("more than {} steps", max_nodes_);
        copies_.push_back({kind, source, std::move(children)});
        return static_cast<CopyId>(copies_.size() - 1);
    }
    CopyId nothing(NodeId source) { return make(NodeKind::sequence, source); }

    // A part that no jump leaves.
    CopyId copy(NodeId id) {
        if (leaves(id)) return copy(id, nullptr);
        Deeper deeper(*this);
        if (!reason_.empty()) return nothing(id);
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        switch (node.kind) {
            case NodeKind::repeat:
            case NodeKind::while_loop: return rounds(id, times_, nullptr);
            case NodeKind::recursion: {
                CopyId block = make(NodeKind::sequence, id, {pass(node.loop, times_, nullptr)});
                copies_[block].block = true;
                return block;
            }
            default: {
                std::vector<CopyId> parts;
                for (NodeId child : children) parts.push_back(copy(child));
                return make(node.kind, id, std::move(parts));
            }
        }
    }

    // A part and what comes after it, for parts that a jump may leave.
    CopyId copy(NodeId id, const Continuation& then) {
        Deeper deeper(*this);
        if (!reason_.empty()) return nothing(id);
        if (!leaves(id)) {
            CopyId part = copy(id);
            return then ? make(NodeKind::sequence, id, {part, go_on(then)}) : part;
        }
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        switch (node.kind) {
            case NodeKind::sequence: return rest(id, 0, then);
            case NodeKind::choice:
            case NodeKind::conditional: {
                std::vector<CopyId> branches;
                for (NodeId child : children) branches.push_back(copy(child, then));
                return make(node.kind, id, std::move(branches));
            }
            case NodeKind::repeat:
            case NodeKind::while_loop: return rounds(id, times_, then);
            case NodeKind::recursion: return pass(node.loop, times_, then);
            case NodeKind::jump: return again(node.loop, id);
            default:
                reason_ = fmt::format("a jump leaves a {}", model::to_string(node.kind));
                return nothing(id);
        }
    }

    // The children of a sequence from the i-th on, then the continuation.
    CopyId rest(NodeId sequence, std::uint32_t i, const Continuation& then) {
        Deeper deeper(*this);
        if (!reason_.empty()) return nothing(sequence);
        auto children = protocol_.children(sequence);
        std::vector<CopyId> parts;
        for (; i < children.size(); ++i) {
            if (leaves(children[i])) {
                auto after = i + 1 == children.size()
                                 ? then
                                 : std::make_shared<Frame>(
                                       Frame{Frame::Kind::rest_of_sequence, sequence, i + 1, then});
                parts.push_back(copy(children[i], after));
                return make(NodeKind::sequence, sequence, std::move(parts));
            }
            parts.push_back(copy(children[i]));
        }
        if (then) parts.push_back(go_on(then));
        return make(NodeKind::sequence, sequence, std::move(parts));
    }

    CopyId go_on(const Continuation& then) {
        if (then->kind == Frame::Kind::round_of_loop) return rounds(then->node, then->position, then->next);
        return rest(then->node, then->position, then->next);
    }

    // Up to `left` rounds, then the continuation.
    CopyId rounds(NodeId loop, std::uint32_t left, const Continuation& then) {
        Deeper deeper(*this);
        if (!reason_.empty()) return nothing(loop);
        bool by_data = protocol_[loop].kind == NodeKind::while_loop;
        CopyId stop = then ? go_on(then) : nothing(loop);
        if (left == 0) {
            truncated_ = truncated_ || by_data;
            return stop;
        }
        NodeId body = protocol_.children(loop)[0];
        CopyId round;
        if (leaves(body)) {
            auto again = std::make_shared<Frame>(Frame{Frame::Kind::round_of_loop, loop, left - 1, then});
            round = copy(body, again);
        } else {
            CopyId first = copy(body);
            round = make(NodeKind::sequence, loop, {first, rounds(loop, left - 1, then)});
        }
        return make(by_data ? NodeKind::conditional : NodeKind::choice, loop, {round, stop});
    }

    // The body of a recursion, which may be continued `left` times more.
    CopyId pass(LoopId loop, std::uint32_t left, const Continuation& then) {
        auto budget = std::exchange(budgets_[loop.index], left);
        auto end = std::exchange(ends_[loop.index], then);
        CopyId result = copy(protocol_.children(protocol_.loop_node(loop))[0], then);
        budgets_[loop.index] = budget;
        ends_[loop.index] = end;
        return result;
    }

    CopyId again(LoopId loop, NodeId jump) {
        if (budgets_[loop.index] == 0) {
            CopyId end = nothing(jump);
            copies_[end].cut = true;
            return end;
        }
        return pass(loop, budgets_[loop.index] - 1, ends_[loop.index]);
    }

    // Children have smaller numbers than their parents, so one sweep is bottom-up.
    void prune(CopyId root) {
        for (CopyId i = 0; i <= root; ++i) {
            Copy& c = copies_[i];
            auto dead = [&](CopyId child) { return copies_[child].dead; };
            if (c.kind == NodeKind::choice) {
                c.dead = std::all_of(c.children.begin(), c.children.end(), dead);
                if (!c.dead) std::erase_if(c.children, dead);
            } else if (c.kind == NodeKind::conditional || c.kind == NodeKind::interrupt) {
                for (CopyId child : c.children)
                    if (copies_[child].dead) {
                        truncated_ = true;
                        revive(child);
                    }
            } else {
                c.dead = c.cut || std::any_of(c.children.begin(), c.children.end(), dead);
            }
            if (c.block && c.dead) {  // with a way to end, the last round would have taken it
                truncated_ = true;
                revive(i);
            }
        }
    }

    // A part without a way through gets one: it ends where it was cut.
    void revive(CopyId root) {
        std::vector<CopyId> stack{root};
        while (!stack.empty()) {
            Copy& c = copies_[stack.back()];
            stack.pop_back();
            c.dead = false;
            for (CopyId child : c.children)
                if (copies_[child].dead) stack.push_back(child);
        }
    }

    void emit(CopyId id, model::ProtocolBuilder& builder) {
        const Copy& c = copies_[id];
        const model::Node& node = protocol_[c.source];
        switch (c.kind) {
            case NodeKind::sequence:
                // What only groups is not nested further.
                if (builder.depth() > 0 && c.children.size() == 1) return emit(c.children[0], builder);
                builder.open(NodeKind::sequence, node.span);
                for (CopyId child : c.children) emit_into_sequence(child, builder);
                return builder.close();
            case NodeKind::choice:
                if (c.children.size() == 1) return emit(c.children[0], builder);
                break;
            default: break;
        }
        // Loops, recursions and jumps are gone.
        if (!model::copy_step(protocol_, c.source, c.kind, {}, builder)) return;
        for (CopyId child : c.children) emit(child, builder);
        builder.close();
    }

    void emit_into_sequence(CopyId id, model::ProtocolBuilder& builder) {
        const Copy& c = copies_[id];
        bool one_way = c.kind == NodeKind::choice && c.children.size() == 1;
        if (c.kind != NodeKind::sequence && !one_way) return emit(id, builder);
        for (CopyId child : c.children) emit_into_sequence(child, builder);
    }

    struct Deeper {
        // Far beyond the depth of protocols the builder would refuse the result; stop before the stack is
        // deep.
        explicit Deeper(Unfolder& u) : unfolder(u) {
            if (++unfolder.depth_ > 2 * model::Protocol::max_depth) unfolder.reason_ = "nested too deeply";
        }
        ~Deeper() { --unfolder.depth_; }
        Unfolder& unfolder;
    };

    const model::Protocol& protocol_;
    model::Endings endings_;
    std::uint32_t times_;
    std::size_t max_nodes_;
    std::vector<std::uint32_t> budgets_;  // by loop: how often it may still be continued
    std::vector<Continuation> ends_;      // by loop: what comes after it
    std::vector<Copy> copies_;
    std::uint32_t depth_ = 0;
    bool truncated_ = false;
    std::string reason_;
};

}  // namespace

Unfolding unfold(const model::Protocol& protocol, std::uint32_t times, std::size_t max_nodes) {
    return Unfolder(protocol, times, max_nodes).run();
}

}  // namespace treaty::choreo
