// A forward analysis over the tree, one bit per variable and role. Branches are walked one after the other on
// one table: what a branch changes is kept on a trail, undone after it, and the results of all branches are
// met (intersected) at their end, so a branch costs what it changes and not the size of the table. A jump
// gives what is known there to the start of its loop; the whole is walked again until no loop learns that
// less is known at its start. Each step changes knowledge in one fixed way, so the meet over all paths is
// exact.
#include "model/knowledge.h"

#include <algorithm>
#include <limits>

namespace treaty::model {
namespace {

constexpr std::uint64_t everyone = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Knowledge::Knowledge(const Protocol& protocol, const expr::Pool& pool, std::vector<bool> holes)
    : p_(protocol), pool_(pool), holes_(std::move(holes)), endings_(protocol, holes_) {
    number_variables();
    words_ = std::max<std::size_t>(1, (p_.roles().size() + 63) / 64);
    for (std::size_t i = 0; i < p_.roles().size(); ++i) {
        std::uint32_t role = p_.roles()[i].index;
        if (role >= position_.size()) position_.resize(role + 1);
        position_[role] = static_cast<std::uint32_t>(i);
    }
}

void Knowledge::walk(KnowledgeWatcher& watcher) {
    watcher_ = &watcher;
    last_ = false;
    for (std::uint32_t round = 0; round <= Protocol::max_depth; ++round) {
        changed_ = false;
        sweep();
        if (!changed_) break;
    }
    last_ = true;
    sweep();
}

void Knowledge::sweep() {
    known_.assign(variables_.size() * words_, 0);
    trail_.clear();
    trail_rows_.clear();
    bound_at_.assign(variables_.size(), NodeId());
    visit(p_.root());
}

// Variables of this protocol get numbers of their own, so that tables are small.
void Knowledge::number_variables() {
    auto add = [&](expr::VarId v) {
        auto [it, added] = number_.try_emplace(v, variables_.size());
        if (added) variables_.push_back(v);
    };
    for (std::size_t i = 0; i < p_.size(); ++i) {
        NodeId id(i);
        if (p_[id].kind == NodeKind::assign) add(p_[id].variable);
        for (const Argument& a : p_.arguments(id))
            if (a.bind) add(a.bind);
    }
}

// --- what is known now

bool Knowledge::knows(RoleId role, expr::VarId variable) const {
    auto number = number_.find(variable);
    if (number == number_.end()) return true;
    std::uint32_t bit = position_[role.index];
    return row(number->second)[bit / 64] >> (bit % 64) & 1;
}

bool Knowledge::knows_all(RoleId role, expr::ExprId expression) const {
    if (!expression) return true;
    auto variables = pool_.variables_of(expression);
    return std::all_of(variables.begin(), variables.end(), [&](expr::VarId v) { return knows(role, v); });
}

NodeId Knowledge::bound_at(expr::VarId variable) const {
    auto number = number_.find(variable);
    return number == number_.end() ? NodeId() : bound_at_[number->second];
}

void Knowledge::assume(RoleId role, expr::VarId variable) {
    auto number = number_.find(variable);
    if (number != number_.end()) learn(role, number->second);
}

void Knowledge::save(std::size_t variable) {
    trail_.push_back(variable);
    trail_rows_.insert(trail_rows_.end(), row(variable), row(variable) + words_);
}

void Knowledge::forget_all(std::size_t variable) {
    save(variable);
    std::fill(row(variable), row(variable) + words_, 0);
}

void Knowledge::learn(RoleId role, std::size_t variable) {
    save(variable);
    std::uint32_t bit = position_[role.index];
    row(variable)[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

// --- branches

Knowledge::Outcome Knowledge::undo_to(std::size_t mark, bool arrives) {
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
void Knowledge::meet(const std::vector<Outcome>& outcomes) {
    absl::flat_hash_map<std::size_t, Row> result;
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

// After all segments of a par: a value that several of them touch is only told in them, not changed (a rule
// of the language), so what they know of it adds up.
void Knowledge::unite(const std::vector<Outcome>& outcomes) {
    absl::flat_hash_set<std::size_t> seen;
    for (const Outcome& o : outcomes)
        for (const auto& [v, r] : o.rows) {
            if (seen.insert(v).second) forget_all(v);
            for (std::size_t w = 0; w < words_; ++w) row(v)[w] |= r[w];
        }
}

void Knowledge::branch(NodeId id, std::vector<Outcome>& outcomes) {
    std::size_t mark = trail_.size();
    visit(id);
    outcomes.push_back(undo_to(mark, endings_.ends(id)));
}

void Knowledge::visit(NodeId id) {
    if (id.index < holes_.size() && holes_[id.index]) return hole();
    const Node& n = p_[id];
    auto children = p_.children(id);
    std::vector<Outcome> outcomes;
    switch (n.kind) {
        case NodeKind::sequence:
            for (NodeId c : children) visit(c);
            break;
        case NodeKind::interaction: interaction(id); break;
        case NodeKind::assign: assign(id); break;
        case NodeKind::conditional: watcher_->evaluates(*this, id); [[fallthrough]];
        case NodeKind::choice:
            for (NodeId c : children) branch(c, outcomes);
            meet(outcomes);
            break;
        case NodeKind::parallel:
            for (NodeId c : children) branch(c, outcomes);
            watcher_->joins(*this, id);
            unite(outcomes);
            break;
        case NodeKind::repeat:
        case NodeKind::while_loop: loop(id); break;
        case NodeKind::recursion: recursion(id); break;
        case NodeKind::jump: give_to_head(p_.loop_node(n.loop)); break;
        case NodeKind::interrupt: interrupt(id); break;
        case NodeKind::signal:
        case NodeKind::wait: break;
    }
}

// Its effect is not known: every role may know everything.
void Knowledge::hole() {
    for (std::size_t v = 0; v < variables_.size(); ++v) {
        if (std::all_of(row(v), row(v) + words_, [](std::uint64_t w) { return w == everyone; })) continue;
        save(v);
        std::fill(row(v), row(v) + words_, everyone);
    }
}

// --- loops: what is known at the start is what is known on entry and on every way back

void Knowledge::enter_head(NodeId head) {
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
void Knowledge::give_to_head(NodeId head) {
    auto& facts = heads_[head];
    std::size_t mark = entered_[head];
    absl::flat_hash_set<std::size_t> changed(trail_.begin() + static_cast<std::ptrdiff_t>(mark),
                                             trail_.end());
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

void Knowledge::loop(NodeId id) {
    enter_head(id);
    entered_[id] = trail_.size();
    if (p_[id].kind == NodeKind::while_loop) watcher_->evaluates(*this, id);
    NodeId body = p_.children(id)[0];
    std::size_t mark = trail_.size();
    visit(body);
    if (endings_.ends(body)) give_to_head(id);
    undo_to(mark, true);  // the loop ends where it starts: what is known there is already met
}

void Knowledge::recursion(NodeId id) {
    enter_head(id);
    entered_[id] = trail_.size();
    visit(p_.children(id)[0]);
}

// --- try

// To be called when a variable has got a new value: for each try around, who has known it at every point.
void Knowledge::note_change(std::size_t variable) {
    for (Lows& lows : lows_) {
        auto& low = lows.try_emplace(variable, words_, everyone).first->second;
        for (std::size_t w = 0; w < words_; ++w) low[w] &= row(variable)[w];
    }
}

void Knowledge::interrupt(NodeId id) {
    auto children = p_.children(id);
    std::size_t mark = trail_.size();
    lows_.emplace_back();
    visit(children[0]);
    Lows lows = std::move(lows_.back());
    lows_.pop_back();
    std::vector<Outcome> both;
    both.push_back(undo_to(mark, endings_.ends(children[0])));
    std::size_t cut = trail_.size();
    for (const auto& [v, r] : lows) {
        save(v);
        for (std::size_t w = 0; w < words_; ++w) row(v)[w] &= r[w];
    }
    visit(children[1]);
    both.push_back(undo_to(cut, endings_.ends(children[1])));
    meet(both);
}

// --- steps

void Knowledge::interaction(NodeId id) {
    const Node& n = p_[id];
    watcher_->sends(*this, id);
    for (const Argument& a : p_.arguments(id)) {
        if (!a.bind) continue;
        std::size_t v = number_.at(a.bind);
        forget_all(v);
        learn(n.role, v);
        learn(n.to, v);
        note_change(v);
        bound_at_[v] = id;
    }
    for (const Argument& a : p_.arguments(id)) {
        if (!a.value || pool_[a.value].op != expr::Op::var) continue;
        assume(n.role, pool_.var_of(a.value));
        assume(n.to, pool_.var_of(a.value));
    }
    watcher_->receives(*this, id);
}

void Knowledge::assign(NodeId id) {
    const Node& n = p_[id];
    watcher_->evaluates(*this, id);
    Row known(words_, everyone);
    for (expr::VarId v : pool_.variables_of(n.guard)) {
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

}  // namespace treaty::model
