// A walk over the tree that keeps the set of known variables and a trail of its changes, so that a branch
// can be undone by rolling the trail back. A loop's head assumes that what is known on entry stays known;
// when the end of a round (or a jump) shows that something was lost, the loop remembers it and the walk is
// done again. The remembered sets only grow, so this ends; after a few sweeps every variable that a loop
// binds is given up at its head, which is always sound.
#include "choreo/role_knowledge.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace treaty::choreo {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;

class KnowledgeWalk {
public:
    KnowledgeWalk(const model::Protocol& protocol, const expr::Pool& pool, model::RoleId role)
        : protocol_(protocol), pool_(pool), role_(role), known_(pool.variable_count(), false) {}

    RoleKnowledge run() {
        constexpr int patient_sweeps = 6;
        for (int sweep = 0;; ++sweep) {
            if (sweep == patient_sweeps) give_up_bound_variables();
            changed_ = false;
            result_.guard.assign(protocol_.size(), false);
            result_.argument.clear();
            walk(protocol_.root());
            roll_back(0);
            if (!changed_) return std::move(result_);
        }
    }

private:
    using Changes = absl::flat_hash_map<std::uint32_t, bool>;

    void set(expr::VarId var, bool value) {
        if (known_[var.index] == value) return;
        trail_.push_back({var.index, known_[var.index]});
        known_[var.index] = value;
    }

    void roll_back(std::size_t mark) {
        while (trail_.size() > mark) {
            known_[trail_.back().var] = trail_.back().before;
            trail_.pop_back();
        }
    }

    bool knows_all(expr::ExprId expression) const {
        if (!expression) return true;
        for (expr::VarId v : pool_.variables_of(expression))
            if (!known_[v.index]) return false;
        return true;
    }

    void note_argument(std::uint32_t position, bool known) {
        if (result_.argument.size() <= position) result_.argument.resize(position + 1, false);
        result_.argument[position] = known;
    }

    void interaction(NodeId id, const Node& node) {
        auto arguments = protocol_.arguments(id);
        if (node.role != role_ && node.to != role_) {
            for (const model::Argument& a : arguments)
                if (a.bind) set(a.bind, false);
            return;
        }
        for (std::size_t i = 0; i < arguments.size(); ++i)
            note_argument(node.first_argument + static_cast<std::uint32_t>(i),
                          arguments[i].value && knows_all(arguments[i].value));
        for (const model::Argument& a : arguments) {
            if (a.bind)
                set(a.bind, true);
            else if (a.value && pool_[a.value].op == expr::Op::var)
                set(pool_.var_of(a.value), true);
        }
        result_.guard[id.index] = knows_all(node.guard);
    }

    // What a round changed from true to false since the head is lost for the head of the next round.
    void end_of_round(NodeId loop, std::size_t head_mark) {
        absl::flat_hash_set<std::uint32_t> seen;
        for (std::size_t i = head_mark; i < trail_.size(); ++i) {
            const Change& c = trail_[i];
            if (!seen.insert(c.var).second) continue;  // only the first change knows the value at the head
            if (c.before && !known_[c.var] && lost_[loop.index].insert(c.var).second) changed_ = true;
        }
    }

    std::size_t enter_loop(NodeId loop) {
        if (auto it = lost_.find(loop.index); it != lost_.end())
            for (std::uint32_t var : it->second) set(expr::VarId(var), false);
        return trail_.size();
    }

    // Gives whether the end can be reached. After a choice a variable is known if every ending branch leaves
    // it known; after a parallel block if some branch learnt it and none lost it.
    bool branches(std::span<const NodeId> children, bool all_of_them) {
        std::size_t mark = trail_.size();
        std::vector<Changes> ends;
        bool every = true;
        for (NodeId child : children) {
            bool ended = walk(child);
            every = every && ended;
            if (ended) {
                Changes changes;
                for (std::size_t i = mark; i < trail_.size(); ++i)
                    changes[trail_[i].var] = known_[trail_[i].var];
                ends.push_back(std::move(changes));
            }
            roll_back(mark);
        }
        join(ends, all_of_them);
        return all_of_them ? every : !ends.empty();
    }

    void join(const std::vector<Changes>& ends, bool all_of_them) {
        absl::flat_hash_map<std::uint32_t, std::pair<std::size_t, std::size_t>> votes;  // known, unknown
        for (const Changes& changes : ends)
            for (auto [var, value] : changes) ++(value ? votes[var].first : votes[var].second);
        for (auto [var, vote] : votes) {
            auto [yes, no] = vote;
            if (all_of_them) {
                set(expr::VarId(var), no == 0);
            } else {
                std::size_t same = ends.size() - yes - no;
                set(expr::VarId(var), no == 0 && (same == 0 || known_[var]));
            }
        }
    }

    bool walk(NodeId id) {
        const Node& node = protocol_[id];
        auto children = protocol_.children(id);
        switch (node.kind) {
            case NodeKind::sequence: {
                bool ends = true;
                for (NodeId child : children) ends = walk(child) && ends;
                return ends;
            }
            case NodeKind::interaction: interaction(id, node); return true;
            case NodeKind::choice: return branches(children, false);
            case NodeKind::parallel: return branches(children, true);
            case NodeKind::conditional:
                result_.guard[id.index] = knows_all(node.guard);
                return branches(children, false);
            case NodeKind::interrupt: return branches(children, false);
            case NodeKind::repeat:
            case NodeKind::while_loop: {
                std::size_t mark = enter_loop(id);
                result_.guard[id.index] = knows_all(node.guard);
                if (walk(children[0])) end_of_round(id, mark);
                roll_back(mark);  // there may have been no round
                return true;
            }
            case NodeKind::recursion: {
                marks_[id.index] = enter_loop(id);
                return walk(children[0]);
            }
            case NodeKind::jump: {
                NodeId loop = protocol_.loop_node(node.loop);
                end_of_round(loop, marks_[loop.index]);
                return false;
            }
            case NodeKind::assign:
                result_.guard[id.index] = knows_all(node.guard);
                set(node.variable, result_.guard[id.index]);
                return true;
            case NodeKind::signal:
            case NodeKind::wait: return true;
        }
        return true;
    }

    void give_up_bound_variables() {
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const Node& node = protocol_[NodeId(i)];
            for (NodeId up = node.parent; up; up = protocol_[up].parent) {
                NodeKind kind = protocol_[up].kind;
                if (kind != NodeKind::repeat && kind != NodeKind::while_loop && kind != NodeKind::recursion)
                    continue;
                if (node.kind == NodeKind::assign) lost_[up.index].insert(node.variable.index);
                for (const model::Argument& a : protocol_.arguments(NodeId(i)))
                    if (a.bind) lost_[up.index].insert(a.bind.index);
            }
        }
    }

    struct Change {
        std::uint32_t var;
        bool before;
    };
    const model::Protocol& protocol_;
    const expr::Pool& pool_;
    model::RoleId role_;
    std::vector<bool> known_;  // by variable
    std::vector<Change> trail_;
    absl::flat_hash_map<std::uint32_t, absl::flat_hash_set<std::uint32_t>> lost_;  // by loop
    absl::flat_hash_map<std::uint32_t, std::size_t> marks_;  // by recursion: trail at its head
    RoleKnowledge result_;
    bool changed_ = false;
};

}  // namespace

RoleKnowledge knowledge_of(const model::Protocol& protocol, const expr::Pool& pool, model::RoleId role) {
    if (!protocol.has_data()) return {std::vector<bool>(protocol.size(), true), {}};
    return KnowledgeWalk(protocol, pool, role).run();
}

}  // namespace treaty::choreo
