// Conditions travel forward. From a state's condition, an edge makes its target's: the values before are
// renamed, updates become equations, and everything that does not matter at the target is eliminated. A
// condition that the target's earlier ones imply adds nothing. Where elimination cannot be done, the parts
// that mention the variable are dropped, which is a widening too.

#include "symbolic/reach.h"

#include <algorithm>
#include <deque>

#include "expr/simplify.h"
#include "symbolic/logic.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using solve::Satisfiable;

class Reacher {
public:
    Reacher(const SymbolicGraph& graph, solve::Solver& solver, const ReachLimits& limits)
        : graph_(graph), logic_(*graph.pool, solver), limits_(limits), live_(live_variables(graph)) {
        result_.states.assign(graph.states.size(), Reach::unreachable);
        result_.conditions.resize(graph.states.size());
        for (const GraphState& state : graph.states) {
            result_.edges.emplace_back(state.out.size(), Reach::unreachable);
            result_.conflicts.emplace_back(state.out.size());
        }
        known_.resize(graph.states.size());
        widened_.resize(graph.states.size());
    }

    Reachability run() {
        visit({graph_.initial, logic_.yes(), true, 0, {}});
        for (std::size_t i = 0; i < visits_.size(); ++i) {
            for (GraphEdgeId e : graph_.states[visits_[i].state].out.ids())
                if (!limits_.deadline.passed()) follow(i, e);
            if (limits_.deadline.passed()) {
                give_up();
                break;
            }
        }
        for (GraphStateId s : graph_.states.ids())
            if (!known_[s].empty()) result_.conditions[s] = logic_.any_of(known_[s]);
        explain();
        result_.visits = std::move(visits_);
        return std::move(result_);
    }

private:
    void visit(Visit v) {
        Reach& reach = result_.states[v.state];
        if (reach != Reach::reachable) reach = v.exact ? Reach::reachable : Reach::unknown;
        std::vector<ExprId>& known = known_[v.state];
        if (!known.empty()) {
            ExprId before = logic_.any_of(known);
            if (logic_.solver().valid(logic_.implies(v.condition, before)) == Satisfiable::yes) return;
        }
        if (known.size() >= limits_.conditions) {
            if (widened_[v.state]) return;
            widened_[v.state] = true;
            v.condition = logic_.yes();
            v.exact = false;
        }
        known.push_back(v.condition);
        v.exact = v.exact && !widened_[v.state];
        visits_.push_back(v);
    }

    void follow(std::size_t at, GraphEdgeId e) {
        const Visit v = visits_[at];
        const GraphEdge& edge = graph_.states[v.state].out[e];
        std::vector<ExprId> parts{v.condition, graph_.guard(edge)};
        if (edge.condition) parts.push_back(edge.condition);
        ExprId taken = logic_.all_of(parts);
        Satisfiable possible = logic_.solver().check(taken).satisfiable;
        if (possible == Satisfiable::no) return;
        bool exact = v.exact && possible == Satisfiable::yes;
        Reach& reach = result_.edges[v.state][e];
        if (reach != Reach::reachable) reach = exact ? Reach::reachable : Reach::unknown;
        ExprId after = post(edge, taken, exact);
        visit({edge.target, after, exact, at, e});
    }

    ExprId post(const GraphEdge& edge, ExprId taken, bool& exact) {
        expr::Pool& pool = *graph_.pool;
        absl::flat_hash_map<VarId, ExprId> renamed;
        std::vector<VarId> gone;
        for (const auto& u : edge.updates) {
            VarId before = pool.declare(pool.variable(u.variable).name, pool.variable(u.variable).type);
            renamed[u.variable] = pool.var(before);
            gone.push_back(before);
        }
        std::vector<ExprId> parts{expr::substitute(pool, taken, renamed)};
        const std::vector<VarId>& live = live_[edge.target];
        for (const auto& u : edge.updates)
            if (std::binary_search(live.begin(), live.end(), u.variable))
                parts.push_back(pool.equal(pool.var(u.variable), expr::substitute(pool, u.value, renamed)));
        ExprId after = logic_.all_of(parts);
        auto carried = graph_.payload_of(edge.label);
        gone.insert(gone.end(), carried.begin(), carried.end());
        for (VarId variable : pool.variables_of(after))
            if (!std::binary_search(live.begin(), live.end(), variable) &&
                std::find(gone.begin(), gone.end(), variable) == gone.end())
                gone.push_back(variable);
        for (VarId variable : gone) after = without(variable, after, exact);
        if (logic_.too_large(after)) {  // every question about it would take long
            exact = false;
            return logic_.yes();
        }
        return logic_.tidy(after);
    }

    ExprId without(VarId variable, ExprId e, bool& exact) {
        if (auto done = logic_.exists(variable, e)) return *done;
        exact = false;
        std::vector<ExprId> kept;
        for (ExprId part : logic_.conjuncts(e)) {
            auto variables = graph_.pool->variables_of(part);
            if (!std::binary_search(variables.begin(), variables.end(), variable)) kept.push_back(part);
        }
        return logic_.all_of(kept);
    }

    void give_up() {
        result_.complete = false;
        result_.reason = why_stopped(limits_.deadline);
        for (Reach& r : result_.states)
            if (r == Reach::unreachable) r = Reach::unknown;
        for (auto& edges : result_.edges)
            for (Reach& r : edges)
                if (r == Reach::unreachable) r = Reach::unknown;
    }

    void explain() {
        if (!result_.complete) return;
        for (std::size_t i = 0; i < visits_.size(); ++i) {
            GraphStateId s = visits_[i].state;
            for (GraphEdgeId e : graph_.states[s].out.ids())
                if (result_.edges[s][e] == Reach::unreachable && result_.conflicts[s][e].parts.empty())
                    result_.conflicts[s][e] = conflict(i, e);
        }
    }

    // The guards on the way to the visit and that of the edge, in terms of values that stay what they are;
    // then as few of them as still exclude each other.
    Conflict conflict(std::size_t at, GraphEdgeId e) {
        NamedPath path = path_to(graph_, visits_, at);
        extend(graph_, path, visits_[at].state, e);
        return smallest(std::move(path.said), std::move(path.meant));
    }

    Conflict smallest(std::vector<GuardPart> said, std::vector<ExprId> meaning) {
        if (logic_.solver().check(logic_.all_of(meaning)).satisfiable != Satisfiable::no) return {};
        for (std::size_t i = 0; i < said.size();) {
            std::vector<ExprId> fewer = meaning;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (logic_.solver().check(logic_.all_of(fewer)).satisfiable != Satisfiable::no) {
                ++i;
                continue;
            }
            meaning = std::move(fewer);
            said.erase(said.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return {std::move(said)};
    }

    const SymbolicGraph& graph_;
    Logic logic_;
    ReachLimits limits_;
    model::ByGraphState<std::vector<VarId>> live_;
    Reachability result_;
    model::ByGraphState<std::vector<ExprId>> known_;
    model::ByGraphState<bool> widened_;
    std::vector<Visit> visits_;
};

}  // namespace

Reachability reachability(const SymbolicGraph& graph, solve::Solver& solver, const ReachLimits& limits) {
    return Reacher(graph, solver, limits).run();
}

SymbolicGraph reachable_part(const SymbolicGraph& graph, const Reachability& reachability) {
    SymbolicGraph kept = graph;
    for (GraphStateId s : kept.states.ids()) {
        if (kept.states[s].name.empty()) kept.states[s].name = std::to_string(s.index);
        model::ByGraphEdge<GraphEdge> out;
        for (GraphEdgeId e : kept.states[s].out.ids())
            if (reachability.edges[s][e] != Reach::unreachable)
                out.push_back(std::move(kept.states[s].out[e]));
        kept.states[s].out = std::move(out);
        if (kept.states[s].terminates && reachability.states[s] == Reach::unreachable)
            kept.states[s].terminates = {};
    }
    drop_unvisited(kept);
    return kept;
}

}  // namespace treaty::symbolic
