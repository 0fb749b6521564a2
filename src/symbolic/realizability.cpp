// A role cannot see what others do, so from its point of view a state offers what it can do first behind any
// number of their events. States that offer the role the same, now and later, are the same to it: that is
// computed by refining classes of states until they are stable.

#include "symbolic/realizability.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/print.h"
#include "symbolic/logic.h"

namespace treaty::symbolic {
namespace {

using model::RoleId;

// What one role sees of a graph.
class View {
public:
    View(const Graph& graph, RoleId role) : graph_(graph), role_(role) {
        classes_.assign(graph.states.size(), 0);
        find_firsts();
        std::size_t count = 1;
        for (std::size_t round = 0; round <= graph.states.size(); ++round) {
            std::size_t now = refine();
            if (now == count) break;
            count = now;
        }
    }

    bool mine(const GraphEdge& edge) const {
        return graph_.sender(edge) == role_ || graph_.receiver(edge) == role_;
    }
    // The labels of its first events from a state on, and whether all may end without one.
    struct First {
        std::set<LabelId> labels;
        bool end = false;
        bool all_received = true;
    };
    First first(Place s) const {
        First out;
        for (auto [label, target] : events_[s]) {
            out.labels.insert(label);
            if (graph_.alphabet->event(label).to != role_) out.all_received = false;
        }
        out.end = ends_[s];
        return out;
    }
    std::size_t class_of(Place s) const { return classes_[s]; }

private:
    void find_firsts() {
        events_.resize(graph_.states.size());
        ends_.resize(graph_.states.size());
        std::vector<std::vector<Place>> before(graph_.states.size());
        for (Place s = 0; s < graph_.states.size(); ++s) {
            ends_[s] = graph_.states[s].terminates.valid();
            for (const GraphEdge& edge : graph_.states[s].out)
                if (mine(edge))
                    events_[s].insert({edge.label, edge.target});
                else
                    before[edge.target].push_back(s);
        }
        std::deque<Place> pending;
        for (Place s = 0; s < graph_.states.size(); ++s)
            pending.push_back(static_cast<Place>(graph_.states.size() - 1 - s));
        while (!pending.empty()) {
            Place s = pending.front();
            pending.pop_front();
            for (Place p : before[s]) {
                std::size_t size = events_[p].size();
                bool end = ends_[p];
                events_[p].insert(events_[s].begin(), events_[s].end());
                ends_[p] = ends_[p] || ends_[s];
                if (events_[p].size() != size || end != ends_[p]) pending.push_back(p);
            }
        }
    }

    std::size_t refine() {
        std::map<std::pair<bool, std::set<std::pair<LabelId, std::size_t>>>, std::size_t> ids;
        std::vector<std::size_t> next(classes_.size());
        for (Place s = 0; s < graph_.states.size(); ++s) {
            std::set<std::pair<LabelId, std::size_t>> signature;
            for (auto [label, target] : events_[s]) signature.insert({label, classes_[target]});
            next[s] = ids.try_emplace({ends_[s], std::move(signature)}, ids.size()).first->second;
        }
        classes_ = std::move(next);
        return ids.size();
    }

    const Graph& graph_;
    RoleId role_;
    std::vector<std::set<std::pair<LabelId, Place>>> events_;  // its first events from the state on
    std::vector<bool> ends_;
    std::vector<std::size_t> classes_;
};

class Checker {
public:
    Checker(const Draft& draft, const GuardFacts& facts, CommunicationMode mode, std::size_t at_most)
        : draft_(draft),
          graph_(draft.graph),
          facts_(facts),
          mode_(mode),
          at_most_(at_most),
          roles_(roles_of(draft.graph)) {
        known_ = known_variables(graph_, roles_);
    }

    std::vector<Problem> run() {
        check_data();
        check_order();
        for (Place s = 0; s < graph_.states.size() && !enough(); ++s) check_deciders(s);
        for (std::size_t r = 0; r < roles_.size() && !enough(); ++r) check_told(r);
        return std::move(found_);
    }

private:
    bool enough() const { return found_.size() >= at_most_; }
    bool knows(Place s, std::size_t role, VarId v) const {
        const auto& set = known_[s][role];
        return std::binary_search(set.begin(), set.end(), v);
    }
    std::size_t index_of(RoleId role) const {
        return static_cast<std::size_t>(std::find(roles_.begin(), roles_.end(), role) - roles_.begin());
    }
    static Parties parties(const Graph& graph, const GraphEdge& e) {
        return {graph.sender(e), graph.receiver(e)};
    }

    std::vector<VarId> guard_variables(const GraphEdge& edge) const {
        std::vector<VarId> all;
        for (const GuardPart& part : edge.guards)
            for (VarId v : graph_.pool->variables_of(part.condition)) all.push_back(v);
        return all;
    }

    void check_data() {
        for (Place s = 0; s < graph_.states.size(); ++s)
            for (std::size_t e = 0; e < graph_.states[s].out.size() && !enough(); ++e) {
                const GraphEdge& edge = graph_.states[s].out[e];
                std::vector<VarId> used = guard_variables(edge);
                for (const model::Argument& a : edge.data)
                    if (a.value)
                        for (VarId v : graph_.pool->variables_of(a.value)) used.push_back(v);
                std::sort(used.begin(), used.end());
                used.erase(std::unique(used.begin(), used.end()), used.end());
                for (VarId v : used)
                    if (!knows(s, index_of(graph_.sender(edge)), v)) {
                        Problem p;
                        p.kind = Problem::Kind::data;
                        p.state = s;
                        p.edge = e;
                        p.role = graph_.sender(edge);
                        p.variable = v;
                        found_.push_back(p);
                    }
            }
    }

    void check_order() {
        for (Place s = 0; s < graph_.states.size(); ++s)
            for (std::size_t i = 0; i < graph_.states[s].out.size(); ++i) {
                const GraphEdge& first = graph_.states[s].out[i];
                const auto& next = graph_.states[first.target].out;
                for (std::size_t k = 0; k < next.size() && !enough(); ++k) {
                    if (connected(mode_, parties(graph_, first), parties(graph_, next[k]))) continue;
                    Problem p;
                    p.kind = Problem::Kind::order;
                    p.state = first.target;
                    p.edge = k;
                    p.before = s;
                    p.before_edge = i;
                    found_.push_back(p);
                }
            }
    }

    bool exclusive(Place s, std::size_t a, std::size_t b) const {
        const auto& origins = draft_.origins[s];
        auto way = [&](std::size_t w) {
            return w == the_end ? Draft::Origin{draft_.original[s], the_end, true} : origins[w];
        };
        Draft::Origin x = way(a), y = way(b);
        if (!x.known || !y.known || x.state != y.state) return false;
        const auto& table = facts_.exclusive[x.state];
        auto index = [&](std::size_t w) { return w == the_end ? table.size() - 1 : w; };
        return index(x.way) < table.size() && index(y.way) < table.size() &&
               table[index(x.way)][index(y.way)];
    }

    bool may_decide(RoleId role, const GraphEdge& e) const {
        return graph_.sender(e) == role || (mode_ == CommunicationMode::sync && graph_.receiver(e) == role);
    }

    // Ways on that do not exclude each other need a role that has a part in all of them.
    void check_deciders(Place s) {
        const auto& out = graph_.states[s].out;
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t k = i + 1; k < out.size() && !enough(); ++k) {
                if (exclusive(s, i, k)) continue;
                bool one = std::any_of(roles_.begin(), roles_.end(), [&](RoleId r) {
                    return may_decide(r, out[i]) && may_decide(r, out[k]) && decides_all(s, r);
                });
                if (one) continue;
                Problem p;
                p.kind = Problem::Kind::deciders;
                p.state = s;
                p.edge = i;
                p.other = k;
                found_.push_back(p);
            }
    }
    // A role that can decide each way on which some other way does not exclude.
    bool decides_all(Place s, RoleId r) const {
        const auto& out = graph_.states[s].out;
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t k = 0; k < out.size(); ++k)
                if (i != k && !exclusive(s, i, k) && !may_decide(r, out[i])) return false;
        return true;
    }

    void check_told(std::size_t r) {
        View view(graph_, roles_[r]);
        for (Place s = 0; s < graph_.states.size() && !enough(); ++s) {
            std::vector<std::size_t> ways;
            for (std::size_t e = 0; e < graph_.states[s].out.size(); ++e) ways.push_back(e);
            if (graph_.states[s].terminates) ways.push_back(the_end);
            for (std::size_t i = 0; i < ways.size(); ++i)
                for (std::size_t k = i + 1; k < ways.size() && !enough(); ++k)
                    if (!told(view, s, r, ways[i], ways[k])) {
                        Problem p;
                        p.kind = Problem::Kind::untold;
                        p.state = s;
                        p.edge = ways[i];
                        p.other = ways[k];
                        p.role = roles_[r];
                        found_.push_back(p);
                    }
        }
    }

    bool told(const View& view, Place s, std::size_t r, std::size_t a, std::size_t b) const {
        const auto& out = graph_.states[s].out;
        RoleId role = roles_[r];
        const GraphEdge* x = a == the_end ? nullptr : &out[a];
        const GraphEdge* y = b == the_end ? nullptr : &out[b];
        bool in_x = x && view.mine(*x), in_y = y && view.mine(*y);
        if ((!x || may_decide(role, *x)) && (!y || may_decide(role, *y))) return true;
        if (exclusive(s, a, b) && knows_guards(s, r)) return true;
        if (in_x && in_y) {
            if (x->label == y->label) return view.class_of(x->target) == view.class_of(y->target);
            return graph_.receiver(*x) == role && graph_.receiver(*y) == role;
        }
        if (x && y && !in_x && !in_y && view.class_of(x->target) == view.class_of(y->target)) return true;
        View::First fx = x ? first_of(view, *x, in_x, role) : ended();
        View::First fy = y ? first_of(view, *y, in_y, role) : ended();
        bool nothing = fx.labels.empty() && fy.labels.empty();
        if (nothing) return true;
        if (fx.end || fy.end || !fx.all_received || !fy.all_received) return false;
        return std::none_of(fx.labels.begin(), fx.labels.end(),
                            [&](LabelId l) { return fy.labels.contains(l); });
    }
    View::First first_of(const View& view, const GraphEdge& e, bool mine, RoleId role) const {
        if (!mine) return view.first(e.target);
        View::First f;
        f.labels.insert(e.label);
        f.all_received = graph_.receiver(e) == role;
        return f;
    }
    static View::First ended() {
        View::First f;
        f.end = true;
        return f;
    }
    // Whether it knows what all guards at the state ask.
    bool knows_guards(Place s, std::size_t r) const {
        for (const GraphEdge& edge : graph_.states[s].out)
            for (VarId v : guard_variables(edge))
                if (!knows(s, r, v)) return false;
        if (ExprId end = graph_.states[s].terminates)
            for (VarId v : graph_.pool->variables_of(end))
                if (!knows(s, r, v)) return false;
        return true;
    }

    const Draft& draft_;
    const Graph& graph_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    std::size_t at_most_;
    std::vector<RoleId> roles_;
    std::vector<std::vector<std::vector<VarId>>> known_;
    std::vector<Problem> found_;
};

}  // namespace

std::string_view to_string(CommunicationMode mode) {
    switch (mode) {
        case CommunicationMode::sync: return "sync";
        case CommunicationMode::sending: return "sending";
        case CommunicationMode::reception: return "reception";
        case CommunicationMode::disjoint: return "disjoint";
    }
    return "";
}

std::optional<CommunicationMode> parse_communication_mode(std::string_view text) {
    for (auto mode : {CommunicationMode::sync, CommunicationMode::sending, CommunicationMode::reception,
                      CommunicationMode::disjoint})
        if (to_string(mode) == text) return mode;
    return std::nullopt;
}

bool connected(CommunicationMode mode, Parties first, Parties second) {
    switch (mode) {
        case CommunicationMode::sync:
            return first.from == second.from || first.from == second.to || first.to == second.from ||
                   first.to == second.to;
        case CommunicationMode::sending: return second.from == first.from || second.from == first.to;
        case CommunicationMode::reception: return second.to == first.to || second.from == first.to;
        case CommunicationMode::disjoint: return second.from == first.to;
    }
    return false;
}

Draft::Draft(Graph g) : graph(std::move(g)) {
    for (Place s = 0; s < graph.states.size(); ++s) {
        original.push_back(s);
        origins.emplace_back();
        for (std::size_t e = 0; e < graph.states[s].out.size(); ++e) origins.back().push_back({s, e, true});
    }
}

std::vector<RoleId> roles_of(const Graph& graph) {
    std::set<RoleId> all;
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out) {
            if (edge.label.index == 0) continue;
            all.insert(graph.sender(edge));
            all.insert(graph.receiver(edge));
        }
    return {all.begin(), all.end()};
}

GuardFacts guard_facts(const Graph& graph, const Reachability& reach, expr::Solver& solver) {
    Logic logic(*graph.pool, solver);
    GuardFacts facts;
    for (Place s = 0; s < graph.states.size(); ++s) {
        const GraphState& state = graph.states[s];
        std::vector<ExprId> guards;
        for (const GraphEdge& edge : state.out) guards.push_back(graph.guard(edge));
        guards.push_back(state.terminates ? state.terminates : logic.no());
        ExprId here = s < reach.conditions.size() && reach.conditions[s] ? reach.conditions[s] : logic.yes();
        auto& table = facts.exclusive.emplace_back(guards.size(), std::vector<bool>(guards.size()));
        for (std::size_t i = 0; i < guards.size(); ++i)
            for (std::size_t k = i + 1; k < guards.size(); ++k) {
                bool plain = graph.pool->is_true(guards[i]) && graph.pool->is_true(guards[k]);
                bool apart = !plain && solver.check(logic.all_of({here, guards[i], guards[k]})).satisfiable ==
                                           expr::Satisfiable::no;
                table[i][k] = table[k][i] = apart;
            }
    }
    return facts;
}

std::vector<Problem> find_problems(const Draft& draft, const GuardFacts& facts, CommunicationMode mode,
                                   std::size_t at_most) {
    return Checker(draft, facts, mode, at_most).run();
}

std::vector<std::vector<std::vector<VarId>>> known_variables(const Graph& graph,
                                                             std::span<const RoleId> roles) {
    // Everybody knows what nobody binds: it is there before the protocol begins.
    std::set<VarId> bound, all;
    const expr::Pool& pool = *graph.pool;
    for (const GraphState& state : graph.states) {
        if (state.terminates)
            for (VarId v : pool.variables_of(state.terminates)) all.insert(v);
        for (const GraphEdge& edge : state.out) {
            for (const GuardPart& part : edge.guards)
                for (VarId v : pool.variables_of(part.condition)) all.insert(v);
            for (const model::Argument& a : edge.data)
                if (a.value)
                    for (VarId v : pool.variables_of(a.value)) all.insert(v);
            for (const auto& u : edge.updates) bound.insert(u.variable);
        }
    }
    all.insert(bound.begin(), bound.end());
    std::vector<std::vector<std::optional<std::set<VarId>>>> known(
        graph.states.size(), std::vector<std::optional<std::set<VarId>>>(roles.size()));
    std::set<VarId> given;
    for (VarId v : all)
        if (!bound.contains(v)) given.insert(v);
    for (auto& set : known[0]) set = given;
    std::deque<Place> pending{0};
    while (!pending.empty()) {
        Place s = pending.front();
        pending.pop_front();
        for (const GraphEdge& edge : graph.states[s].out) {
            auto carried = graph.payload_of(edge.label);
            bool changed = false;
            for (std::size_t r = 0; r < roles.size(); ++r) {
                bool party = graph.sender(edge) == roles[r] || graph.receiver(edge) == roles[r];
                std::set<VarId> after = *known[s][r];
                auto has = [&](VarId v) {
                    return known[s][r]->contains(v) ||
                           (party && std::find(carried.begin(), carried.end(), v) != carried.end());
                };
                for (const auto& u : edge.updates) {
                    auto read = pool.variables_of(u.value);
                    if (std::all_of(read.begin(), read.end(), has))
                        after.insert(u.variable);
                    else
                        after.erase(u.variable);
                }
                if (party)
                    for (const model::Argument& a : edge.data)
                        if (a.value && pool[a.value].op == expr::Op::var) after.insert(pool.var_of(a.value));
                auto& there = known[edge.target][r];
                if (!there) {
                    there = std::move(after);
                    changed = true;
                } else {
                    std::size_t size = there->size();
                    std::erase_if(*there, [&](VarId v) { return !after.contains(v); });
                    changed = changed || there->size() != size;
                }
            }
            if (changed) pending.push_back(edge.target);
        }
    }
    std::vector<std::vector<std::vector<VarId>>> result(graph.states.size());
    for (Place s = 0; s < graph.states.size(); ++s)
        for (std::size_t r = 0; r < roles.size(); ++r) {
            auto& out = result[s].emplace_back();
            if (known[s][r]) out.assign(known[s][r]->begin(), known[s][r]->end());
        }
    return result;
}

std::string describe(const Graph& graph, const Problem& p) {
    const model::Alphabet& a = *graph.alphabet;
    auto way = [&](std::size_t w) {
        return w == the_end ? std::string("the end") : print_edge(graph, graph.states[p.state].out[w]);
    };
    switch (p.kind) {
        case Problem::Kind::order:
            return fmt::format("`{}` need not come after `{}`", way(p.edge),
                               print_edge(graph, graph.states[p.before].out[p.before_edge]));
        case Problem::Kind::data:
            return fmt::format("{} does not know {} when `{}` is due", a.name(p.role),
                               graph.pool->names().text(graph.pool->variable(p.variable).name), way(p.edge));
        case Problem::Kind::deciders:
            return fmt::format("no role decides between `{}` and `{}`", way(p.edge), way(p.other));
        case Problem::Kind::untold:
            return fmt::format("{} is not told whether `{}` or `{}` comes", a.name(p.role), way(p.edge),
                               way(p.other));
    }
    return "";
}

}  // namespace treaty::symbolic
