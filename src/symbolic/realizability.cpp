#include "symbolic/realizability.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/print.h"
#include "symbolic/knowledge.h"
#include "symbolic/logic.h"
#include "symbolic/role_view.h"

namespace treaty::symbolic {
namespace {

using model::RoleId;

class Checker {
public:
    Checker(const Draft& draft, const GuardFacts& facts, CommunicationMode mode, std::size_t at_most)
        : draft_(draft),
          graph_(draft.graph),
          facts_(facts),
          mode_(mode),
          at_most_(at_most),
          roles_(roles_of(draft.graph)) {
        known_ = Knowledge(graph_, roles_);
        views_.resize(roles_.size());
        plain_views_.resize(roles_.size());
    }

    std::vector<Problem> run() {
        check_data();
        check_order();
        for (GraphStateId s : graph_.states.ids()) check_deciders(s);
        for (std::size_t r = 0; r < roles_.size() && !enough(); ++r) check_told(r);
        return std::move(found_);
    }

private:
    const RoleView& view_of(std::size_t r, bool with_guards = true) const {
        auto& view = (with_guards ? views_ : plain_views_)[r];
        if (!view) view.emplace(graph_, roles_[r], with_guards);
        return *view;
    }
    const Awaiting& awaiting() const {
        if (!awaiting_)
            awaiting_.emplace(graph_, roles_, [&](std::size_t r) -> const RoleView& { return view_of(r); });
        return *awaiting_;
    }
    bool sends_guarded(RoleId role) const {
        for (const GraphState& state : graph_.states)
            for (const GraphEdge& edge : state.out)
                if (!edge.guards.empty() && graph_.sender(edge) == role) return true;
        return false;
    }
    bool enough() const { return found_.size() >= at_most_; }
    bool knows(GraphStateId s, std::size_t role, VarId v) const { return known_.knows(s, role, v); }
    std::size_t index_of(RoleId role) const {
        return static_cast<std::size_t>(std::find(roles_.begin(), roles_.end(), role) - roles_.begin());
    }
    static Parties parties(const SymbolicGraph& graph, const GraphEdge& e) {
        return {graph.sender(e), graph.receiver(e)};
    }

    std::vector<VarId> guard_variables(const GraphEdge& edge) const {
        std::vector<VarId> all;
        for (const GuardPart& part : edge.guards)
            for (VarId v : graph_.pool->variables_of(part.condition)) all.push_back(v);
        return all;
    }

    void check_data() {
        for (GraphStateId s : graph_.states.ids())
            for (GraphEdgeId e : graph_.states[s].out.ids()) {
                if (enough()) return;
                const GraphEdge& edge = graph_.states[s].out[e];
                std::vector<VarId> used = guard_variables(edge);
                for (const model::Argument& a : edge.data)
                    if (a.value)
                        for (VarId v : graph_.pool->variables_of(a.value)) used.push_back(v);
                if (edge.condition)
                    for (VarId v : graph_.pool->variables_of(edge.condition)) used.push_back(v);
                std::sort(used.begin(), used.end());
                used.erase(std::unique(used.begin(), used.end()), used.end());
                auto carried = graph_.payload_of(edge.label);
                for (VarId v : used)
                    if (std::find(carried.begin(), carried.end(), v) == carried.end() &&
                        !knows(s, index_of(graph_.sender(edge)), v)) {
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
        for (GraphStateId s : graph_.states.ids())
            for (GraphEdgeId i : graph_.states[s].out.ids()) {
                const GraphEdge& first = graph_.states[s].out[i];
                const auto& next = graph_.states[first.target].out;
                for (GraphEdgeId k : next.ids()) {
                    if (enough()) return;
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

    bool exclusive(GraphStateId s, GraphEdgeId a, GraphEdgeId b) const {
        const auto& origins = draft_.origins[s];
        auto way = [&](GraphEdgeId w) {
            return w == the_end ? Draft::Origin{draft_.original[s], the_end, true} : origins[w];
        };
        Draft::Origin x = way(a), y = way(b);
        if (!x.known || !y.known || x.state != y.state) return false;
        const auto& table = facts_.exclusive[x.state];
        auto index = [&](GraphEdgeId w) { return w == the_end ? table.size() - 1 : w.index; };
        return index(x.way) < table.size() && index(y.way) < table.size() &&
               table[index(x.way)][index(y.way)];
    }

    bool may_decide(RoleId role, const GraphEdge& e) const {
        return graph_.sender(e) == role || (mode_ == CommunicationMode::sync && graph_.receiver(e) == role);
    }

    // Ways on that do not exclude each other need a role that has a part in all of them.
    void check_deciders(GraphStateId s) {
        const auto& out = graph_.states[s].out;
        for (GraphEdgeId i : out.ids())
            for (GraphEdgeId k(i.index + 1); out.has(k) && !enough(); ++k.index) {
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
    // A role that can decide each continuation which some other way does not exclude.
    bool decides_all(GraphStateId s, RoleId r) const {
        const auto& out = graph_.states[s].out;
        for (GraphEdgeId i : out.ids())
            for (GraphEdgeId k : out.ids())
                if (i != k && !exclusive(s, i, k) && !may_decide(r, out[i])) return false;
        return true;
    }

    void check_told(std::size_t r) {
        bool guarded = at_most_ > 1 && sends_guarded(roles_[r]);
        for (GraphStateId s : graph_.states.ids()) {
            std::vector<GraphEdgeId> ways;
            for (GraphEdgeId e : graph_.states[s].out.ids()) ways.push_back(e);
            if (graph_.states[s].terminates) ways.push_back(the_end);
            for (std::size_t i = 0; i < ways.size(); ++i)
                for (std::size_t k = i + 1; k < ways.size() && !enough(); ++k)
                    if (Told how = told(s, r, ways[i], ways[k]); !how.told) {
                        Problem p;
                        p.rival = how.rival;
                        p.kind = Problem::Kind::untold;
                        p.state = s;
                        p.edge = how.on_second ? ways[k] : ways[i];
                        p.other = how.on_second ? ways[i] : ways[k];
                        p.role = roles_[r];
                        p.by_guards = guarded && told(s, r, ways[i], ways[k], false).told;
                        found_.push_back(p);
                    }
        }
    }

    struct Told {
        bool told = true;
        RoleId rival;
        bool on_second = false;  // the rival is too early on the second of the two ways
    };

    Told told(GraphStateId s, std::size_t r, GraphEdgeId a, GraphEdgeId b, bool with_guards = true) const {
        const RoleView& view = view_of(r, with_guards);
        const auto& out = graph_.states[s].out;
        RoleId role = roles_[r];
        const GraphEdge* x = a == the_end ? nullptr : &out[a];
        const GraphEdge* y = b == the_end ? nullptr : &out[b];
        bool in_x = x && view.mine(*x), in_y = y && view.mine(*y);
        if (exclusive(s, a, b) && knows_guards(s, r)) return {};
        // One event that leads to two places: the role cannot tell them apart.
        if (in_x && in_y && x->label == y->label)
            return {view.class_of(x->target) == view.class_of(y->target), {}};
        if ((!x || may_decide(role, *x)) && (!y || may_decide(role, *y))) return {};
        if (in_x && in_y) return {graph_.receiver(*x) == role && graph_.receiver(*y) == role, {}};
        if (x && y && !in_x && !in_y && view.class_of(x->target) == view.class_of(y->target)) return {};
        RoleView::First first_x = x ? first_of(view, *x, in_x, role) : ended();
        RoleView::First first_y = y ? first_of(view, *y, in_y, role) : ended();
        if (!fits(first_x, first_y)) return {false, {}};
        if (x && !in_x)
            if (RoleId rival = too_early(r, *x, first_x, first_y)) return {false, rival};
        if (y && !in_y)
            if (RoleId rival = too_early(r, *y, first_y, first_x)) return {false, rival, true};
        return {};
    }
    // Who may, when this way was taken without the role, be ready to send what the role expects on the other
    // way only: at once, or before the role learns of it.
    RoleId too_early(std::size_t r, const GraphEdge& way, const RoleView::First& here,
                     const RoleView::First& other) const {
        for (const auto& [label, classes] : other.events)
            if (!here.events.contains(label) && awaiting().may_come(r, way.target, label))
                return graph_.alphabet->event(label).from;
        return {};
    }
    // A role that receives first whichever way is taken need not know which: what comes tells it, or makes no
    // difference.
    static bool fits(const RoleView::First& x, const RoleView::First& y) {
        if (x.events.empty() && y.events.empty()) return true;
        if (x.end || y.end || !x.all_received || !y.all_received) return false;
        return std::all_of(x.events.begin(), x.events.end(), [&](const auto& event) {
            auto other = y.events.find(event.first);
            return other == y.events.end() || other->second == event.second;
        });
    }
    RoleView::First first_of(const RoleView& view, const GraphEdge& e, bool mine, RoleId role) const {
        if (!mine) return view.first(e.target);
        RoleView::First f;
        f.events[e.label].insert(view.class_of(e.target));
        f.all_received = graph_.receiver(e) == role;
        return f;
    }
    static RoleView::First ended() {
        RoleView::First f;
        f.end = true;
        return f;
    }
    // Whether it knows what all guards at the state ask.
    bool knows_guards(GraphStateId s, std::size_t r) const {
        for (const GraphEdge& edge : graph_.states[s].out)
            for (VarId v : guard_variables(edge))
                if (!knows(s, r, v)) return false;
        if (ExprId end = graph_.states[s].terminates)
            for (VarId v : graph_.pool->variables_of(end))
                if (!knows(s, r, v)) return false;
        return true;
    }

    const Draft& draft_;
    const SymbolicGraph& graph_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    std::size_t at_most_;
    std::vector<RoleId> roles_;
    Knowledge known_;
    mutable std::vector<std::optional<RoleView>> views_, plain_views_;  // by role, made when first asked
    mutable std::optional<Awaiting> awaiting_;                          // the same
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

Draft::Draft(SymbolicGraph g) : graph(std::move(g)) {
    for (GraphStateId s : graph.states.ids()) {
        original.push_back(s);
        origins.emplace_back();
        for (GraphEdgeId e : graph.states[s].out.ids()) origins.back().push_back({s, e, true});
    }
}

std::vector<RoleId> roles_of(const SymbolicGraph& graph) {
    std::set<RoleId> all;
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out) {
            if (edge.label.index == 0) continue;
            all.insert(graph.sender(edge));
            all.insert(graph.receiver(edge));
        }
    return {all.begin(), all.end()};
}

GuardFacts guard_facts(const SymbolicGraph& graph, const Reachability& reach, solve::Solver& solver) {
    Logic logic(*graph.pool, solver);
    GuardFacts facts;
    for (GraphStateId s : graph.states.ids()) {
        const GraphState& state = graph.states[s];
        std::vector<ExprId> guards;
        for (const GraphEdge& edge : state.out) guards.push_back(graph.guard(edge));
        guards.push_back(state.terminates ? state.terminates : logic.no());
        ExprId here = reach.conditions.has(s) && reach.conditions[s] ? reach.conditions[s] : logic.yes();
        auto& table = facts.exclusive.emplace_back(guards.size(), std::vector<bool>(guards.size()));
        for (std::size_t i = 0; i < guards.size(); ++i)
            for (std::size_t k = i + 1; k < guards.size(); ++k) {
                bool plain = graph.pool->is_true(guards[i]) && graph.pool->is_true(guards[k]);
                bool apart = !plain && solver.check(logic.all_of({here, guards[i], guards[k]})).satisfiable ==
                                           solve::Satisfiable::no;
                table[i][k] = table[k][i] = apart;
            }
    }
    return facts;
}

std::vector<Problem> find_problems(const Draft& draft, const GuardFacts& facts, CommunicationMode mode,
                                   std::size_t at_most) {
    return Checker(draft, facts, mode, at_most).run();
}

std::string describe(const SymbolicGraph& graph, const Problem& p) {
    const model::Alphabet& a = *graph.alphabet;
    auto way = [&](GraphEdgeId w) {
        return w == the_end ? std::string("the end") : print_edge(graph, graph.states[p.state].out[w]);
    };
    switch (p.kind) {
        case Problem::Kind::order:
            return fmt::format("`{}` need not come after `{}`", way(p.edge),
                               print_edge(graph, graph.states[p.before].out[p.before_edge]));
        case Problem::Kind::data:
            return fmt::format("{} does not know {} when it must take part in `{}`", a.name(p.role),
                               graph.pool->names().text(graph.pool->variable(p.variable).name), way(p.edge));
        case Problem::Kind::deciders:
            return fmt::format("no role decides between `{}` and `{}`", way(p.edge), way(p.other));
        case Problem::Kind::untold:
            return fmt::format("{} is not told whether `{}` or `{}` comes", a.name(p.role), way(p.edge),
                               way(p.other));
        case Problem::Kind::together: return "the roles together would do something else";
    }
    return "";
}

}  // namespace treaty::symbolic
