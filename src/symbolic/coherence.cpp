#include "symbolic/coherence.h"

#include <algorithm>
#include <optional>

#include "symbolic/linear.h"
#include "symbolic/logic.h"
#include "symbolic/smallest.h"

namespace treaty::symbolic {
namespace {

using expr::Satisfiable;

class Inspector {
public:
    Inspector(const Graph& graph, const Reachability& reach, expr::Solver& solver)
        : graph_(graph), reach_(reach), logic_(*graph.pool, solver) {}

    Coherence run() {
        Coherence result;
        if (!reach_.complete) result = {base::Answer::undecided, "the time is up", {}};
        for (std::size_t v = 0; v < reach_.visits.size(); ++v) {
            const Visit& visit = reach_.visits[v];
            auto stuck = stuck_at(visit.state);
            if (!stuck) {
                if (!always_possible(visit)) result = {base::Answer::undecided, logic_.problem(), {}};
                continue;
            }
            Satisfiable possible =
                logic_.solver().check(logic_.all_of({visit.condition, *stuck})).satisfiable;
            if (possible == Satisfiable::no) continue;
            if (possible == Satisfiable::yes && visit.exact) {
                if (auto found = smallest(v, *stuck)) return {base::Answer::fails, {}, std::move(*found)};
            }
            result = {base::Answer::undecided, "the solver cannot decide whether every state can go on", {}};
        }
        return result;
    }

private:
    // When no event is possible, over the variables of the state.
    std::optional<ExprId> stuck_at(Place s) {
        const GraphState& state = graph_.states[s];
        std::vector<ExprId> all;
        if (state.terminates) all.push_back(logic_.negation(state.terminates));
        for (const GraphEdge& edge : state.out) {
            ExprId some = edge.condition ? edge.condition : logic_.yes();
            for (VarId z : graph_.payload_of(edge.label)) {
                auto without = logic_.exists(z, some);
                if (!without) return std::nullopt;
                some = *without;
            }
            all.push_back(logic_.negation(logic_.all_of({graph_.guard(edge), some})));
        }
        return logic_.all_of(all);
    }

    // Where values cannot be eliminated: an event that is possible with a value named in its own condition.
    bool always_possible(const Visit& visit) {
        expr::Pool& pool = *graph_.pool;
        for (const GraphEdge& edge : graph_.states[visit.state].out) {
            auto carried = graph_.payload_of(edge.label);
            if (carried.size() != 1 || !edge.condition) continue;
            for (ExprId part : pool.parts_of(edge.condition)) {
                auto read = pool.variables_of(part);
                bool own = std::find(read.begin(), read.end(), carried[0]) != read.end();
                if (own || pool[part].type != pool.types().base(pool.variable(carried[0]).type)) continue;
                ExprId tried = expr::substitute(pool, edge.condition, {{carried[0], part}});
                ExprId claim = logic_.implies(visit.condition, logic_.all_of({graph_.guard(edge), tried}));
                if (logic_.solver().valid(claim) == Satisfiable::yes) return true;
            }
        }
        return false;
    }

    std::optional<Incoherence> smallest(std::size_t v, ExprId stuck) {
        expr::Pool& pool = *graph_.pool;
        NamedPath path = path_to(graph_, reach_.visits, v);
        std::vector<ExprId> all = path.meant;
        all.push_back(expr::substitute(pool, stuck, path.values));
        expr::Solver& solver = logic_.solver();
        solver.push();
        solver.assume(logic_.all_of(all));
        expr::SolverAnswer answer = solver.check();
        std::optional<Incoherence> found;
        if (answer.satisfiable == Satisfiable::yes) {
            for (const auto& step : path.steps)
                for (VarId carried : step.carried) assume_smallest(logic_, carried);
            answer = solver.check();
            found = Incoherence{{}, reach_.visits[v].state};
            for (const auto& step : path.steps) {
                Incoherence::Step out{step.state, step.edge, {}};
                for (VarId carried : step.carried)
                    if (const expr::Value* value = answer.model.get(carried))
                        out.data.emplace_back(carried, *value);
                found->run.push_back(std::move(out));
            }
        }
        solver.pop();
        return found;
    }

    const Graph& graph_;
    const Reachability& reach_;
    Logic logic_;
};

}  // namespace

Coherence coherence(const Graph& graph, const Reachability& reach, expr::Solver& solver) {
    return Inspector(graph, reach, solver).run();
}

}  // namespace treaty::symbolic
