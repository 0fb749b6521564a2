// A forward analysis over the tree.
//
// For each variable the set of roles that know it, one bit a role. Branches are walked one after the other on
// one table: what a branch changes is kept on a trail, undone behind it, and the results of all branches are
// met (intersected) at their end, so a branch costs what it changes and not the size of the table. A jump gives
// what is known there to the start of its loop; loops are walked again until nothing changes, in practice twice. A
// role that uses a value is taken to know it from there on, whether it can or not: so each step changes knowledge
// in one fixed way, the meet over all paths is exact, and one missing message is one fault. Only the last round
// reports.
#include "lang/knowledge.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "lang/codes.h"

namespace treaty::lang {
namespace {

using expr::ExprId;
using expr::VarId;
using model::Node;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

constexpr std::uint64_t everyone = std::numeric_limits<std::uint64_t>::max();

class KnowledgeCheck {
public:
    KnowledgeCheck(const model::Specification& spec, const ResolvedProtocol& resolved, const Structure& structure,
                   Knowing knowing, base::Diagnostics& diagnostics)
        : spec_(spec), pool_(*spec.pool), resolved_(resolved), p_(resolved.protocol), s_(structure),
          knowing_(knowing), diagnostics_(diagnostics) {
        number_variables();
        words_ = (p_.roles().size() + 63) / 64;
        position_.assign(spec.alphabet->role_count(), 0);
        for (std::size_t i = 0; i < p_.roles().size(); ++i) position_[p_.roles()[i].index] = static_cast<std::uint32_t>(i);
    }

    void run() {
        if (variables_.empty()) return;
        for (std::uint32_t round = 0; round <= model::Protocol::max_depth; ++round) {
            changed_ = false;
            walk();
            if (!changed_) break;
        }
        reporting_ = true;
        walk();
    }

private:
    // Variables of this protocol get numbers of their own, so that tables are small.
    void number_variables() {
        auto add = [&](VarId v) {
            auto [it, added] = number_.try_emplace(v, variables_.size());
            if (added) variables_.push_back(v);
        };
        for (std::size_t i = 0; i < p_.size(); ++i) {
            NodeId id(i);
            if (p_[id].kind == NodeKind::assign) add(p_[id].variable);
            for (const model::Argument& a : p_.arguments(id))
                if (a.bind) add(a.bind);
        }
    }

    std::uint64_t* row(std::size_t variable) { return &known_[variable * words_]; }
    bool knows(RoleId r, std::size_t variable) {
        std::uint32_t bit = position_[r.index];
        return row(variable)[bit / 64] >> (bit % 64) & 1;
    }

    void save(std::size_t variable) {
        trail_.push_back(variable);
        trail_rows_.insert(trail_rows_.end(), row(variable), row(variable) + words_);
    }

    void forget_all(std::size_t variable) {
        save(variable);
        std::fill(row(variable), row(variable) + words_, 0);
    }

    void learn(RoleId r, std::size_t variable) {
        save(variable);
        std::uint32_t bit = position_[r.index];
        row(variable)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }

    // What a branch changed: the variables and what is known of them at its end.
    struct Outcome {
        bool arrives = true;  // whether the branch gets to its end
        absl::flat_hash_map<std::size_t, std::vector<std::uint64_t>> rows;
    };

    Outcome undo_to(std::size_t mark, bool arrives) {
        Outcome outcome;
        outcome.arrives = arrives;
        while (trail_.size() > mark) {
            std::size_t v = trail_.back();
            outcome.rows.try_emplace(v, row(v), row(v) + words_);
            std::copy(trail_rows_.end() - static_cast<std::ptrdiff_t>(words_), trail_rows_.end(), row(v));
            trail_.pop_back();
            trail_rows_.resize(trail_rows_.size() - words_);
        }
        return outcome;
    }

    // Afterwards a role knows what it knows at the end of each branch that gets there.
    void meet(const std::vector<Outcome>& outcomes) {
        absl::flat_hash_map<std::size_t, std::vector<std::uint64_t>> result;
        for (const Outcome& o : outcomes)
            if (o.arrives)
                for (const auto& [v, r] : o.rows) result.try_emplace(v);
        bool any = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.arrives; });
        if (!any) return;
        for (auto& [v, met] : result) {
            met.assign(words_, everyone);
            for (const Outcome& o : outcomes) {
                if (!o.arrives) continue;
                auto changed = o.rows.find(v);
                const std::uint64_t* r = changed == o.rows.end() ? row(v) : changed->second.data();
                for (std::size_t w = 0; w < words_; ++w) met[w] &= r[w];
            }
        }
        for (const auto& [v, met] : result) {
            save(v);
            std::copy(met.begin(), met.end(), row(v));
        }
    }

    // After all segments of a par: a value that several of them touch is only told in them, not changed (see
    // races), so what they know of it adds up.
    void unite(const std::vector<Outcome>& outcomes) {
        absl::flat_hash_set<std::size_t> seen;
        for (const Outcome& o : outcomes)
            for (const auto& [v, r] : o.rows) {
                if (seen.insert(v).second) {
                    save(v);
                    std::fill(row(v), row(v) + words_, 0);
                }
                for (std::size_t w = 0; w < words_; ++w) row(v)[w] |= r[w];
            }
    }

    void walk() {
        known_.assign(variables_.size() * words_, 0);
        trail_.clear();
        trail_rows_.clear();
        bound_at_.assign(variables_.size(), NodeId());
        visit(p_.root());
    }

    void branch(NodeId id, std::vector<Outcome>& outcomes) {
        std::size_t mark = trail_.size();
        visit(id);
        outcomes.push_back(undo_to(mark, s_.ends[id.index]));
    }

    void visit(NodeId id) {
        const Node& n = p_[id];
        auto children = p_.children(id);
        if (s_.hole[id.index]) return hole();
        switch (n.kind) {
            case NodeKind::sequence:
                for (NodeId c : children) visit(c);
                break;
            case NodeKind::interaction: interaction(id); break;
            case NodeKind::assign: assign(id); break;
            case NodeKind::choice:
            case NodeKind::conditional: {
                if (n.kind == NodeKind::conditional) guard(id);
                std::vector<Outcome> outcomes;
                for (NodeId c : children) branch(c, outcomes);
                meet(outcomes);
                break;
            }
            case NodeKind::parallel: parallel(id); break;
            case NodeKind::repeat:
            case NodeKind::while_loop: loop(id); break;
            case NodeKind::recursion: recursion(id); break;
            case NodeKind::jump: give_to_head(p_.loop_node(n.loop)); break;
            case NodeKind::interrupt: interrupt(id); break;
            case NodeKind::signal:
            case NodeKind::wait: break;
        }
    }

    // Nothing is known of what it did: it may have told everyone everything.
    void hole() {
        for (std::size_t v = 0; v < variables_.size(); ++v) {
            if (std::all_of(row(v), row(v) + words_, [](std::uint64_t w) { return w == everyone; })) continue;
            save(v);
            std::fill(row(v), row(v) + words_, everyone);
        }
    }

    // --- loops: what is known at the start is what is known on entry and on every way back.

    void enter_head(NodeId head) {
        auto known = heads_.find(head);
        if (known == heads_.end()) return;
        for (const auto& [v, fact] : known->second) {
            save(v);
            bool lowered = false;
            for (std::size_t w = 0; w < words_; ++w) {
                lowered |= (row(v)[w] & ~fact.row[w]) != 0;
                row(v)[w] &= fact.row[w];
            }
            if (lowered) bound_at_[v] = fact.bound;
        }
    }

    // Only what has changed since the loop was entered can be different at the way back.
    void give_to_head(NodeId head) {
        auto& facts = heads_[head];
        std::size_t mark = entered_[head];
        absl::flat_hash_set<std::size_t> changed(trail_.begin() + static_cast<std::ptrdiff_t>(mark), trail_.end());
        for (std::size_t v : changed) {
            auto [it, added] = facts.try_emplace(v);
            HeadFact& fact = it->second;
            if (added) fact.row.assign(words_, everyone);
            for (std::size_t w = 0; w < words_; ++w) {
                std::uint64_t met = fact.row[w] & row(v)[w];
                if (met == fact.row[w]) continue;
                changed_ = true;
                fact.row[w] = met;
                fact.bound = bound_at_[v];
            }
        }
    }

    void loop(NodeId id) {
        enter_head(id);
        entered_[id] = trail_.size();
        if (p_[id].kind == NodeKind::while_loop) guard(id);
        NodeId body = p_.children(id)[0];
        std::size_t mark = trail_.size();
        visit(body);
        if (s_.ends[body.index]) give_to_head(id);
        undo_to(mark, true);  // the loop ends where it starts: what is known there is already met
    }

    void recursion(NodeId id) {
        enter_head(id);
        entered_[id] = trail_.size();
        visit(p_.children(id)[0]);
    }

    // To be called when a variable has got a new value: for each try around, who has known it at every point.
    void note_change(std::size_t variable) {
        for (Lows& lows : lows_) {
            auto& low = lows.try_emplace(variable, words_, everyone).first->second;
            for (std::size_t w = 0; w < words_; ++w) low[w] &= row(variable)[w];
        }
    }

    void interrupt(NodeId id) {
        auto children = p_.children(id);
        std::size_t mark = trail_.size();
        lows_.emplace_back();
        visit(children[0]);
        Lows lows = std::move(lows_.back());
        lows_.pop_back();
        Outcome normal = undo_to(mark, s_.ends[children[0].index]);
        // The interruption may come at any point, so a role knows then what it knows at every point.
        std::size_t cut = trail_.size();
        for (const auto& [v, r] : lows) {
            save(v);
            for (std::size_t w = 0; w < words_; ++w) row(v)[w] &= r[w];
        }
        visit(children[1]);
        Outcome interrupted = undo_to(cut, s_.ends[children[1].index]);
        std::vector<Outcome> both;
        both.push_back(std::move(normal));
        both.push_back(std::move(interrupted));
        meet(both);
    }

    // --- par

    void parallel(NodeId id) {
        std::vector<Outcome> outcomes;
        for (NodeId c : p_.children(id)) branch(c, outcomes);
        if (reporting_) races(id);
        unite(outcomes);
    }

    // A variable changed in one segment and used or changed in another, if it comes from outside the par.
    void races(NodeId id) {
        struct Use {
            std::size_t segment;
            NodeId node;
            bool writes;
        };
        absl::flat_hash_map<VarId, Use> first_use, first_write;
        auto children = p_.children(id);
        for (std::size_t k = 0; k < children.size(); ++k)
            for (std::uint32_t i = children[k].index; i < p_[children[k]].subtree_end; ++i)
                for (auto [v, writes] : touched(NodeId(i))) {
                    const Use use{k, NodeId(i), writes};
                    auto seen = first_use.try_emplace(v, use).first->second;
                    auto written = first_write.find(v);
                    const Use* clash = nullptr;
                    if (written != first_write.end() && written->second.segment != k) clash = &written->second;
                    else if (writes && seen.segment != k) clash = &seen;
                    if (writes) first_write.try_emplace(v, use);
                    if (!clash || !raced_.insert(v).second) continue;
                    (resolved_.called[i] ? muted_ : diagnostics_)
                        .report(codes::racing_variable, p_[NodeId(i)].span,
                                        fmt::format("`{}` is used by two segments of a par, and one of them changes it", name(v)))
                        .label(p_[clash->node].span, clash->writes ? "another segment changes it here" : "another segment uses it here")
                        .help("give the value another name in one of the segments");
                }
    }

    std::vector<std::pair<VarId, bool>> touched(NodeId id) {
        std::vector<std::pair<VarId, bool>> result;
        const Node& n = p_[id];
        if (n.guard)
            for (VarId v : pool_.variables_of(n.guard)) result.emplace_back(v, false);
        for (const model::Argument& a : p_.arguments(id)) {
            if (a.bind) result.emplace_back(a.bind, true);
            else if (a.value)
                for (VarId v : pool_.variables_of(a.value)) result.emplace_back(v, false);
        }
        if (n.kind == NodeKind::assign) result.emplace_back(n.variable, true);
        return result;
    }

    // --- uses

    std::string_view name(VarId v) const { return spec_.names->text(pool_.variable(v).name); }
    std::string_view name(RoleId r) const { return spec_.alphabet->name(r); }

    void require(RoleId role, ExprId e, base::Span at, NodeId node, std::string_view why) {
        if (!e) return;
        for (VarId v : pool_.variables_of(e)) {
            auto number = number_.find(v);
            if (number == number_.end() || knows(role, number->second)) continue;
            if (reporting_ && !resolved_.called[node.index] && told_.insert({role, number->second, bound_at_[number->second]}).second)
                if (knowing_ == Knowing::demanded) unknowable(role, number->second, at, node, why);
            learn(role, number->second);  // what follows is judged as if this were right
        }
    }

    void unknowable(RoleId role, std::size_t variable, base::Span at, NodeId node, std::string_view why) {
        VarId v = variables_[variable];
        auto& report = diagnostics_.report(codes::unknowable, at, fmt::format("`{}` cannot know `{}`{}", name(role), name(v), why));
        NodeId bound = bound_at_[variable];
        std::string knowing;
        RoleId teller;
        for (RoleId r : p_.roles())
            if (knows(r, variable)) {
                knowing += fmt::format("{}`{}`", knowing.empty() ? "" : " and ", name(r));
                if (!teller) teller = r;
            }
        if (bound) report.label(p_[bound].span, knowing.empty() ? std::string("it is bound here") : fmt::format("bound here; only {} know{} it", knowing, teller && knowing.find(" and ") == std::string::npos ? "s" : ""));
        NodeId carrier = possible_carrier(role, variable, node);
        if (carrier) {
            const Node& c = p_[carrier];
            report.label(p_[carrier].span, "this message could carry it");
            report.help(fmt::format("let `{} -> {}: {}` carry `{}`", name(c.role), name(c.to), spec_.alphabet->name(c.message), name(v)));
        } else if (teller) {
            report.help(fmt::format("add a message from `{}` to `{}` that carries `{}` before this step", name(teller), name(role), name(v)));
        }
    }

    // The last message before `node`, on the way to it, that brings something to `role` from one who knows the value.
    NodeId possible_carrier(RoleId role, std::size_t variable, NodeId node) {
        NodeId bound = bound_at_[variable];
        for (NodeId at = node; p_[at].parent; at = p_[at].parent) {
            if (p_[p_[at].parent].kind != NodeKind::sequence) continue;
            auto siblings = p_.children(p_[at].parent);
            for (std::size_t i = siblings.size(); i-- > 0;) {
                if (siblings[i] >= at || (bound && siblings[i] <= bound)) continue;
                const Node& n = p_[siblings[i]];
                if (n.kind == NodeKind::interaction && n.to == role && knows(n.role, variable)) return siblings[i];
            }
        }
        return {};
    }

    void guard(NodeId id) {
        const Node& n = p_[id];
        for (NodeId c : p_.children(id))
            for (const FirstSender& f : s_.first_senders[c.index]) require(f.role, n.guard, n.span, id, ", but has to decide on it");
    }

    void interaction(NodeId id) {
        const Node& n = p_[id];
        std::vector<std::size_t> bound;
        for (const model::Argument& a : p_.arguments(id)) {
            if (a.bind) bound.push_back(number_.at(a.bind));
            else require(n.role, a.value, a.span.valid() ? a.span : n.span, id, ", but sends it here");
        }
        for (std::size_t v : bound) {
            forget_all(v);
            learn(n.role, v);
            learn(n.to, v);
            note_change(v);
            bound_at_[v] = id;
        }
        require(n.role, n.guard, n.span, id, ", but sends by it here");
        for (const model::Argument& a : p_.arguments(id)) {
            if (!a.value || pool_[a.value].op != expr::Op::var) continue;
            auto number = number_.find(pool_.var_of(a.value));
            if (number != number_.end()) learn(n.to, number->second);
        }
    }

    void assign(NodeId id) {
        const Node& n = p_[id];
        std::vector<std::uint64_t> known(words_, everyone);
        for (VarId v : pool_.variables_of(n.guard)) {
            auto number = number_.find(v);
            if (number == number_.end()) continue;
            for (std::size_t w = 0; w < words_; ++w) known[w] &= row(number->second)[w];
        }
        std::size_t target = number_.at(n.variable);
        save(target);
        std::copy(known.begin(), known.end(), row(target));
        note_change(target);
        bound_at_[target] = id;
    }

    const model::Specification& spec_;
    const expr::Pool& pool_;
    const ResolvedProtocol& resolved_;
    const model::Protocol& p_;
    const Structure& s_;
    Knowing knowing_;
    base::Diagnostics& diagnostics_;
    base::Diagnostics muted_;
    std::size_t words_ = 1;
    std::vector<std::uint32_t> position_;  // of a role among the protocol's
    std::vector<VarId> variables_;
    absl::flat_hash_map<VarId, std::size_t> number_;
    std::vector<std::uint64_t> known_;  // words_ a variable
    std::vector<std::size_t> trail_;
    std::vector<std::uint64_t> trail_rows_;
    std::vector<NodeId> bound_at_;
    // What is known of a variable on every way back to a loop's start, and where it got the value that is known least.
    struct HeadFact {
        std::vector<std::uint64_t> row;
        NodeId bound;
    };
    absl::flat_hash_map<NodeId, absl::flat_hash_map<std::size_t, HeadFact>> heads_;
    absl::flat_hash_map<NodeId, std::size_t> entered_;
    using Lows = absl::flat_hash_map<std::size_t, std::vector<std::uint64_t>>;
    std::vector<Lows> lows_;  // one a `try` that is open, see note_change
    absl::flat_hash_set<VarId> raced_;
    absl::flat_hash_set<std::tuple<RoleId, std::size_t, NodeId>> told_;
    bool changed_ = false;
    bool reporting_ = false;
};

}  // namespace

void check_knowledge(const model::Specification& spec, const ResolvedProtocol& resolved, const Structure& structure,
                     Knowing knowing, base::Diagnostics& diagnostics) {
    KnowledgeCheck(spec, resolved, structure, knowing, diagnostics).run();
}

}  // namespace treaty::lang
