#include "symbolic/coherence.h"

#include <map>
#include <memory>
#include <optional>

#include "symbolic/smallest.h"
#include "symbolic/stopping.h"
#include "symbolic/stuck.h"

namespace treaty::symbolic {
namespace {

using solve::Satisfiable;

class Inspector {
public:
    Inspector(const SymbolicGraph& graph, const Reachability& reach, solve::Solver& solver,
              const base::Deadline& deadline)
        : graph_(graph), reach_(reach), logic_(*graph.pool, solver), deadline_(deadline) {}

    Coherence run() {
        Coherence result;
        if (!reach_.complete) result = {base::Answer::undecided, reach_.reason, {}};
        for (std::size_t v = 0; v < reach_.visits.size(); ++v) {
            solve::SolverAnswer stuck = search_at(reach_.visits[v].state).find(reach_.visits[v].condition);
            if (stuck.satisfiable == Satisfiable::no) continue;
            if (deadline_.passed()) return {base::Answer::undecided, why_stopped(deadline_), {}};
            if (auto found = smallest(v)) return {base::Answer::fails, {}, std::move(*found)};
            // The condition of a visit may allow more than can be.
            if (stuck.reason.empty()) stuck.reason = "no run was found to values that may be possible";
            result = {base::Answer::undecided, std::move(stuck.reason), {}};
        }
        return result;
    }

private:
    // What can be done in a state: its events, with what they carry, and its end.
    std::vector<Offer> offers_at(GraphStateId s) {
        const GraphState& state = graph_.states[s];
        std::vector<Offer> offers;
        if (state.terminates) offers.push_back({state.terminates, {}});
        for (const GraphEdge& edge : state.out) {
            auto carried = graph_.payload_of(edge.label);
            Offer& offer = offers.emplace_back();
            offer.chosen.assign(carried.begin(), carried.end());
            offer.chosen.insert(offer.chosen.end(), edge.chosen.begin(), edge.chosen.end());
            offer.condition = graph_.guard(edge);
            if (edge.condition) offer.condition = logic_.all_of({offer.condition, edge.condition});
        }
        return offers;
    }

    StuckSearch& search_at(GraphStateId s) {
        auto& search = searches_[s];
        if (!search) search = std::make_unique<StuckSearch>(logic_, offers_at(s), deadline_);
        return *search;
    }

    std::vector<Offer> offers_after(const NamedPath& path, GraphStateId s) {
        std::vector<Offer> offers = offers_at(s);
        for (Offer& offer : offers) {
            auto values = path.values;
            for (VarId z : offer.chosen) values.erase(z);
            offer.condition = expr::substitute(*graph_.pool, offer.condition, values);
        }
        return offers;
    }

    std::optional<Incoherence> smallest(std::size_t v) {
        NamedPath path = path_to(graph_, reach_.visits, v);
        StuckSearch search(logic_, offers_after(path, reach_.visits[v].state), deadline_);
        auto ask = [&](ExprId condition) { return search.find(condition); };
        solve::Solver& solver = logic_.solver();
        solver.push();
        solver.assume(logic_.all_of(path.meant));
        std::optional<Incoherence> found;
        solve::SolverAnswer answer = ask(logic_.yes());
        if (answer.satisfiable == Satisfiable::yes) {
            for (const auto& step : path.steps)
                for (VarId carried : step.carried) assume_smallest(logic_, carried, ask);
            if (auto small = ask(logic_.yes()); small.satisfiable == Satisfiable::yes)
                answer = std::move(small);
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

    const SymbolicGraph& graph_;
    const Reachability& reach_;
    Logic logic_;
    base::Deadline deadline_;
    std::map<GraphStateId, std::unique_ptr<StuckSearch>> searches_;
};

}  // namespace

Coherence coherence(const SymbolicGraph& graph, const Reachability& reach, solve::Solver& solver,
                    const base::Deadline& deadline) {
    return Inspector(graph, reach, solver, deadline).run();
}

}  // namespace treaty::symbolic
