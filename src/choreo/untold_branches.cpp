#include "choreo/untold_branches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "base/check.h"
#include "choreo/reduce_net.h"
#include "expr/pool.h"

namespace treaty::choreo {
namespace {

using model::Net;
using model::NodeId;
using model::NodeKind;
using model::PlaceId;
using model::Transition;

constexpr std::size_t most_rounds = 64;

class Merger {
public:
    Merger(const Net& net, const model::Protocol& protocol, model::RoleId role)
        : net_(net),
          protocol_(protocol),
          role_(role),
          transitions_(net.transitions().begin(), net.transitions().end()) {}

    // False if there is nothing to merge.
    bool merge() {
        std::map<std::tuple<std::vector<PlaceId>, model::LabelId>, std::vector<std::size_t>> same_step;
        for (std::size_t i = 0; i < transitions_.size(); ++i)
            if (!transitions_[i].silent())
                same_step[{transitions_[i].from, transitions_[i].label}].push_back(i);
        bool merged = false;
        for (const auto& [key, steps] : same_step)
            if (steps.size() > 1 && untold(steps) && cut_off_together(steps) && unify_data(steps)) {
                meet(steps);
                merged = true;
            }
        return merged;
    }

    Net finish() {
        model::NetBuilder builder(std::string(net_.name()), net_.alphabet_ptr(), net_.pool());
        for (const model::Place& p : net_.places()) builder.place(p.node, p.semaphore, p.name);
        for (std::size_t i = 0; i < added_; ++i) builder.place();
        for (Transition& t : transitions_) builder.transition(std::move(t));
        for (PlaceId p : net_.initial()) builder.initial(p);
        for (PlaceId p : net_.final()) builder.final(p);
        auto made = builder.finish();
        TREATY_CHECK(made.has_value());
        return std::move(*made);
    }

private:
    // Whether they lead to different states, and in no two of them the role itself has decided which.
    bool untold(const std::vector<std::size_t>& steps) const {
        bool differ = false;
        for (std::size_t i = 0; i < steps.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Transition& a = transitions_[steps[i]];
                const Transition& b = transitions_[steps[j]];
                differ = differ || a.to != b.to;
                if (a.clears != b.clears || a.guard != b.guard || !others_decide(a.node, b.node))
                    return false;
            }
        return differ;
    }

    bool others_decide(NodeId a, NodeId b) const {
        if (!a || !b || a == b) return false;
        NodeId above = common(a, b);
        switch (protocol_[above].kind) {
            case NodeKind::choice: return decided_by_others(above);
            case NodeKind::conditional: return true;
            case NodeKind::sequence: return no_own_decision(a, above) && no_own_decision(b, above);
            default: return false;
        }
    }

    bool decided_by_others(NodeId id) const { return protocol_[id].role && protocol_[id].role != role_; }

    // Between the step and a node above it: what the role decides there may be to leave the step out.
    bool no_own_decision(NodeId id, NodeId above) const {
        for (id = protocol_[id].parent; id != above; id = protocol_[id].parent) {
            NodeKind kind = protocol_[id].kind;
            if (kind == NodeKind::parallel || kind == NodeKind::interrupt) return false;
            if ((kind == NodeKind::choice || kind == NodeKind::repeat) && !decided_by_others(id))
                return false;
        }
        return true;
    }

    // Parents have smaller ids than their children.
    NodeId common(NodeId a, NodeId b) const {
        while (a != b) {
            NodeId& lower = a.index > b.index ? a : b;
            lower = protocol_[lower].parent;
        }
        return a;
    }

    // What an interrupt empties must be all of the places after them, or none.
    bool cut_off_together(const std::vector<std::size_t>& steps) const {
        for (const Transition& t : transitions_) {
            std::size_t cleared = 0, all = 0;
            for (std::size_t s : steps)
                for (PlaceId p : transitions_[s].to) {
                    ++all;
                    cleared += std::binary_search(t.clears.begin(), t.clears.end(), p) ? 1 : 0;
                }
            if (cleared != 0 && cleared != all) return false;
        }
        return true;
    }

    // Afterwards each of them leaves the same values behind. False, and nothing done, if values may tell them
    // apart or a variable has a value from before that is still needed.
    bool unify_data(const std::vector<std::size_t>& steps) {
        const Transition& first = transitions_[steps[0]];
        std::vector<Transition> unified;
        for (std::size_t s : steps) {
            if (transitions_[s].data.size() != first.data.size() ||
                transitions_[s].assignments != first.assignments)
                return false;
            unified.push_back(transitions_[s]);
        }
        Renaming renamed, everywhere;
        for (std::size_t field = 0; field < first.data.size(); ++field)
            if (!unify_field(field, unified, renamed, everywhere)) return false;
        for (Transition& t : unified)
            if (t.where) t.where = expr::substitute(*net_.pool(), t.where, renamed);
        for (const Transition& t : unified)
            if (t.where != unified[0].where) return false;
        for (std::size_t i = 0; i < steps.size(); ++i) transitions_[steps[i]] = std::move(unified[i]);
        if (!everywhere.empty()) rename(everywhere);
        return true;
    }

    using Renaming = absl::flat_hash_map<expr::VarId, expr::ExprId>;

    // All bind the field to the variable of the first one that does. A variable that only these steps set
    // becomes that one everywhere, so that later steps with it are the same, too; others get its value.
    bool unify_field(std::size_t field, std::vector<Transition>& steps, Renaming& renamed,
                     Renaming& everywhere) const {
        std::vector<expr::VarId> binds;
        for (const Transition& t : steps) {
            const model::Argument& a = t.data[field];
            if (a.value != steps[0].data[field].value) return false;
            if (a.bind && std::find(binds.begin(), binds.end(), a.bind) == binds.end())
                binds.push_back(a.bind);
        }
        if (binds.empty()) return true;
        bool one_variable =
            std::all_of(steps.begin(), steps.end(), [&](auto& t) { return t.data[field].bind; }) &&
            std::all_of(binds.begin(), binds.end(), [&](expr::VarId v) {
                return set_only_in(v, field, steps) && !net_.pool()->presence(v);
            });
        if (!one_variable)
            for (Transition& t : steps)
                for (expr::VarId v : binds)
                    if (v != t.data[field].bind && needed_elsewhere(v, t.node, steps)) return false;
        for (Transition& t : steps) {
            t.data[field].bind = binds[0];
            for (expr::VarId v : binds)
                if (v != binds[0] && !one_variable) t.assignments.push_back({v, net_.pool()->var(binds[0])});
        }
        for (expr::VarId v : binds) {
            if (v == binds[0]) continue;
            renamed.emplace(v, net_.pool()->var(binds[0]));
            if (one_variable) everywhere.emplace(v, net_.pool()->var(binds[0]));
        }
        return true;
    }

    // Whether nothing but this field of these steps gives the variable a value.
    bool set_only_in(expr::VarId variable, std::size_t field, const std::vector<Transition>& steps) const {
        for (const Transition& t : transitions_) {
            bool here = std::any_of(steps.begin(), steps.end(), [&](const Transition& s) {
                return s.node == t.node && s.label == t.label;
            });
            for (std::size_t i = 0; i < t.data.size(); ++i)
                if (t.data[i].bind == variable && !(here && i == field)) return false;
            for (const model::Assignment& a : t.assignments)
                if (a.variable == variable) return false;
        }
        return true;
    }

    void rename(const Renaming& by) {
        auto renamed = [&](expr::ExprId& e) {
            if (e) e = expr::substitute(*net_.pool(), e, by);
        };
        for (Transition& t : transitions_) {
            renamed(t.guard);
            renamed(t.where);
            for (model::Argument& a : t.data) renamed(a.value);
            for (model::Assignment& a : t.assignments) renamed(a.value);
        }
    }

    // Whether a step outside the branches that bind the variable reads it: it may then have a value from
    // before.
    bool needed_elsewhere(expr::VarId variable, NodeId step, const std::vector<Transition>& steps) const {
        auto reads = [&](expr::ExprId e) {
            if (!e) return false;
            auto all = net_.pool()->variables_of(e);
            return std::find(all.begin(), all.end(), variable) != all.end();
        };
        for (const Transition& t : net_.transitions()) {
            bool read = reads(t.guard) || reads(t.where) ||
                        std::any_of(t.data.begin(), t.data.end(), [&](auto& a) { return reads(a.value); }) ||
                        std::any_of(t.assignments.begin(), t.assignments.end(),
                                    [&](auto& a) { return reads(a.value); });
            if (!read) continue;
            bool inside = std::any_of(steps.begin(), steps.end(), [&](const Transition& s) {
                bool binds =
                    std::any_of(s.data.begin(), s.data.end(), [&](auto& a) { return a.bind == variable; });
                return binds && t.node && in_branch(t.node, s.node, common(s.node, step));
            });
            if (!inside) return true;
        }
        return false;
    }

    // Whether a node is in the same child of `above` as another one.
    bool in_branch(NodeId id, NodeId other, NodeId above) const {
        NodeId child = other;
        while (protocol_[child].parent != above) child = protocol_[child].parent;
        return id.index >= child.index && id.index < protocol_[child].subtree_end;
    }

    // All lead to one new place, and silent steps from there to where each of them led.
    void meet(const std::vector<std::size_t>& steps) {
        PlaceId here(static_cast<std::uint32_t>(net_.places().size() + added_++));
        std::vector<std::vector<PlaceId>> targets;
        for (std::size_t s : steps) {
            std::vector<PlaceId> to = std::exchange(transitions_[s].to, {here});
            if (std::find(targets.begin(), targets.end(), to) == targets.end())
                targets.push_back(std::move(to));
        }
        for (Transition& t : transitions_)
            if (!targets[0].empty() &&
                std::binary_search(t.clears.begin(), t.clears.end(), targets[0].front()))
                t.clears.push_back(here);  // the greatest so far
        for (std::vector<PlaceId>& to : targets) {
            Transition silent;
            silent.label = model::LabelId(0u);
            silent.from = {here};
            silent.to = std::move(to);
            transitions_.push_back(std::move(silent));
        }
    }

    const Net& net_;
    const model::Protocol& protocol_;
    model::RoleId role_;
    std::vector<Transition> transitions_;
    std::size_t added_ = 0;
};

}  // namespace

Net merge_untold_branches(Net net, const model::Protocol& protocol, model::RoleId role) {
    for (std::size_t round = 0; round < most_rounds; ++round) {
        Merger merger(net, protocol, role);
        if (!merger.merge()) break;
        net = reduce_net(merger.finish());
    }
    return net;
}

}  // namespace treaty::choreo
