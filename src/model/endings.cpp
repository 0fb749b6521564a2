#include "model/endings.h"

#include <algorithm>

#include "model/protocol_edit.h"

namespace treaty::model {

void RoleSet::add(RoleId role) {
    if (!role) return;
    if (role.index >= bits_.size()) bits_.resize(role.index + 1);
    bits_[role.index] = true;
}

void RoleSet::add(const RoleSet& other) {
    for (std::size_t i = 0; i < other.bits_.size(); ++i)
        if (other.bits_[i]) add(RoleId(i));
}

void RoleSet::keep(const RoleSet& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] = bits_[i] && other.has(RoleId(i));
}

bool RoleSet::empty() const {
    return std::find(bits_.begin(), bits_.end(), true) == bits_.end();
}

bool RoleSet::meets(const RoleSet& other) const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
        if (bits_[i] && other.has(RoleId(i))) return true;
    return false;
}

bool RoleSet::exceeds(const RoleSet& other) const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
        if (bits_[i] && !other.has(RoleId(i))) return true;
    return false;
}

RoleSet roles_in(const Protocol& protocol, NodeId part) {
    RoleSet result;
    for (std::uint32_t i = part.index; i < protocol[part].subtree_end; ++i) {
        result.add(protocol[NodeId(i)].role);
        result.add(protocol[NodeId(i)].to);
    }
    return result;
}

Endings::Endings(const Protocol& protocol, const std::vector<bool>& holes) : protocol_(protocol) {
    std::size_t n = protocol.size();
    ends_.assign(n, true);
    leaves_.assign(n, false);
    std::vector<std::uint32_t> target(n, ~0u);  // the outermost recursion that a jump inside goes to
    for (std::size_t i = n; i-- > 0;) {
        const Node& node = protocol[NodeId(i)];
        auto children = protocol.children(NodeId(i));
        for (NodeId c : children) target[i] = std::min(target[i], target[c.index]);
        auto ends = [&](NodeId c) { return ends_[c.index]; };
        switch (node.kind) {
            case NodeKind::jump:
                ends_[i] = false;
                target[i] = protocol.loop_node(node.loop).index;
                break;
            case NodeKind::sequence:
            case NodeKind::parallel: ends_[i] = std::all_of(children.begin(), children.end(), ends); break;
            case NodeKind::choice:
            case NodeKind::conditional:
            case NodeKind::interrupt:
            case NodeKind::recursion: ends_[i] = std::any_of(children.begin(), children.end(), ends); break;
            default: break;  // loops may have no further round, steps are done
        }
        if (i < holes.size() && holes[i]) ends_[i] = true;
        if (target[i] >= i && target[i] != ~0u && node.kind != NodeKind::jump) target[i] = ~0u;
        leaves_[i] = target[i] != ~0u;
    }
}

RoleSet Endings::held(NodeId id) const {
    if (ends(id)) return {};
    return find_held(id);
}

RoleSet Endings::find_held(NodeId id) const {
    const Node& node = protocol_[id];
    auto children = protocol_.children(id);
    RoleSet result;
    if (node.kind == NodeKind::jump) {
        for (RoleId role : protocol_.roles()) result.add(role);
        return result;
    }
    bool any = node.kind == NodeKind::choice || node.kind == NodeKind::conditional ||
               node.kind == NodeKind::interrupt;
    bool first = true;
    for (NodeId c : children) {
        RoleSet one = held(c);
        if (any && !first)
            result.keep(one);
        else
            result.add(one);
        first = false;
    }
    if (!leaves(id)) result.keep(roles_in(protocol_, id));
    return result;
}

namespace {

// The result as a tree of nodes of the source, then handed to a builder.
class Rewriter {
public:
    explicit Rewriter(const Protocol& protocol) : p_(protocol), endings_(protocol) {}

    std::optional<Rewritten> run() {
        if (!anything_follows()) return std::nullopt;
        Tree root = whole(p_.root());
        if (!changed_ || nodes_ > max_nodes) return std::nullopt;
        std::vector<RoleId> roles(p_.roles().begin(), p_.roles().end());
        ProtocolBuilder builder(std::string(p_.name()), p_.span(), roles);
        for (std::size_t i = 0; i < p_.semaphore_count(); ++i)
            builder.semaphore(std::string(p_.semaphore_name(SemaphoreId(i))));
        emit(root, builder);
        auto result = builder.finish();
        if (!result) return std::nullopt;  // too deep
        return Rewritten{std::move(*result), std::move(source_)};
    }

private:
    static constexpr std::size_t max_nodes = 1'000'000;

    struct Tree {
        NodeKind kind;
        NodeId source;
        std::vector<Tree> children;
    };

    Tree make(NodeKind kind, NodeId source, std::vector<Tree> children = {}) {
        nodes_ += 1;
        return {kind, source, std::move(children)};
    }

    using Rest = std::vector<NodeId>;  // what follows, in order

    bool anything_follows() const {
        for (std::size_t i = 0; i < p_.size(); ++i) {
            if (p_[NodeId(i)].kind != NodeKind::sequence) continue;
            auto children = p_.children(NodeId(i));
            for (std::size_t k = 0; k + 1 < children.size(); ++k)
                if (!endings_.ends(children[k])) return true;
        }
        return false;
    }

    Tree whole(NodeId id) {
        const Node& node = p_[id];
        if (node.kind == NodeKind::sequence) {
            auto children = p_.children(id);
            return make(NodeKind::sequence, id, steps({children.begin(), children.end()}));
        }
        std::vector<Tree> children;
        for (NodeId c : p_.children(id)) children.push_back(whole(c));
        return make(node.kind, id, std::move(children));
    }

    std::vector<Tree> steps(const Rest& list) {
        std::vector<Tree> result;
        for (std::size_t i = 0; i < list.size() && nodes_ <= max_nodes; ++i) {
            std::optional<Tree> both;
            if (!endings_.ends(list[i])) {
                Rest rest(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end());
                if (goes_on(list[i], rest)) both = follow(list[i], rest);
            }
            if (both) {
                changed_ = true;
                result.push_back(std::move(*both));
                return result;
            }
            result.push_back(whole(list[i]));
        }
        return result;
    }

    RoleSet roles_of(const Rest& rest) const {
        RoleSet roles;
        for (NodeId r : rest) roles.add(roles_in(p_, r));
        return roles;
    }

    // Some role takes part in the rest, no such role is held, and the rest does not jump away.
    bool goes_on(NodeId part, const Rest& rest) const {
        RoleSet roles = roles_of(rest);
        return !roles.empty() && !roles.meets(endings_.held(part)) &&
               std::none_of(rest.begin(), rest.end(), [&](NodeId r) { return endings_.leaves(r); });
    }

    Tree sequence(NodeId source, const Rest& rest) { return make(NodeKind::sequence, source, steps(rest)); }

    // `part`, which does not end, with the rest put where the roles of the rest get past. Nothing if there is
    // no such place.
    std::optional<Tree> follow(NodeId part, const Rest& rest) {
        if (!endings_.leaves(part) && !roles_in(p_, part).meets(roles_of(rest)))
            return make(NodeKind::parallel, part, two(whole(part), sequence(part, rest)));
        switch (p_[part].kind) {
            case NodeKind::sequence: return follow_in_sequence(part, rest);
            case NodeKind::choice:
            case NodeKind::conditional: return follow_in_branches(part, rest);
            case NodeKind::parallel: return follow_in_segment(part, rest);
            case NodeKind::recursion: {
                auto body = follow(p_.children(part)[0], rest);
                if (!body) return std::nullopt;
                return make(NodeKind::recursion, part, one(std::move(*body)));
            }
            default: return std::nullopt;
        }
    }

    std::optional<Tree> follow_in_sequence(NodeId part, const Rest& rest) {
        auto children = p_.children(part);
        Rest all(children.begin(), children.end());
        all.insert(all.end(), rest.begin(), rest.end());
        auto endless = static_cast<std::size_t>(
            std::find_if(children.begin(), children.end(), [&](NodeId c) { return !endings_.ends(c); }) -
            children.begin());
        Rest after(all.begin() + static_cast<std::ptrdiff_t>(endless) + 1, all.end());
        if (!goes_on(all[endless], after)) return std::nullopt;
        auto tail = follow(all[endless], after);
        if (!tail) return std::nullopt;
        std::vector<Tree> result;
        for (std::size_t i = 0; i < endless; ++i) result.push_back(whole(all[i]));
        result.push_back(std::move(*tail));
        return make(NodeKind::sequence, part, std::move(result));
    }

    // A branch that jumps away is not followed by anything.
    std::optional<Tree> follow_in_branches(NodeId part, const Rest& rest) {
        std::vector<Tree> branches;
        for (NodeId c : p_.children(part)) {
            auto branch = endings_.leaves(c) ? whole(c) : follow(c, rest);
            if (!branch) return std::nullopt;
            branches.push_back(std::move(*branch));
        }
        return make(p_[part].kind, part, std::move(branches));
    }

    // The segments that end are waited for; of the others one at most may have roles of the rest.
    std::optional<Tree> follow_in_segment(NodeId part, const Rest& rest) {
        RoleSet roles = roles_of(rest);
        Rest ending;
        NodeId shared;
        std::vector<Tree> segments;
        for (NodeId c : p_.children(part)) {
            bool meets = roles_in(p_, c).meets(roles);
            if (endings_.ends(c)) {
                ending.push_back(c);
            } else if (!meets) {
                segments.push_back(whole(c));
            } else if (shared) {
                return std::nullopt;
            } else {
                shared = c;
            }
        }
        if (!shared) {
            Tree waited = make(ending.empty() ? NodeKind::sequence : NodeKind::parallel, part);
            for (NodeId c : ending) waited.children.push_back(whole(c));
            segments.push_back(make(NodeKind::sequence, part, two(std::move(waited), sequence(part, rest))));
        } else {
            for (NodeId c : ending)
                if (roles_in(p_, c).meets(roles)) return std::nullopt;
            auto tail = follow(shared, rest);
            if (!tail) return std::nullopt;
            for (NodeId c : ending) segments.push_back(whole(c));
            segments.push_back(std::move(*tail));
        }
        return make(NodeKind::parallel, part, std::move(segments));
    }

    static std::vector<Tree> one(Tree a) {
        std::vector<Tree> list;
        list.push_back(std::move(a));
        return list;
    }
    static std::vector<Tree> two(Tree a, Tree b) {
        std::vector<Tree> list = one(std::move(a));
        list.push_back(std::move(b));
        return list;
    }

    void emit(const Tree& tree, ProtocolBuilder& builder) {
        const Node& node = p_[tree.source];
        source_.push_back(tree.source);
        if (tree.kind == NodeKind::recursion) {
            // A copied loop is a loop of its own.
            loops_.resize(p_.loop_count());
            loops_[node.loop.index] = builder.loop(std::string(p_.loop_name(node.loop)));
        }
        if (!copy_step(p_, tree.source, tree.kind, loops_, builder)) return;
        for (const Tree& c : tree.children) emit(c, builder);
        builder.close();
    }

    const Protocol& p_;
    Endings endings_;
    bool changed_ = false;
    std::size_t nodes_ = 0;
    std::vector<LoopId> loops_;  // by loop of the source: the one being built
    std::vector<NodeId> source_;
};

}  // namespace

std::optional<Rewritten> beside_endless(const Protocol& protocol) {
    return Rewriter(protocol).run();
}

}  // namespace treaty::model
