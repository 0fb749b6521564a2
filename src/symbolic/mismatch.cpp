// With concrete values for all variables, one case of the definition fails at the current pair. If it fails
// because there is no counterpart, that is the end; if because the counterpart leads to a pair that does not
// conform, the run continues there.

#include "symbolic/mismatch.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "expr/simplify.h"
#include "symbolic/smallest.h"

namespace treaty::symbolic {
namespace {

using solve::Satisfiable;

class Finder {
public:
    Finder(PairEquations& equations, Logic& logic, const History& history)
        : equations_(equations), logic_(logic), history_(history) {}

    Mismatch run() {
        auto [condition, time] = history_({SymbolicGraph::initial, SymbolicGraph::initial},
                                          std::numeric_limits<std::size_t>::max());
        time_ = std::numeric_limits<std::size_t>::max();
        ExprId wrong = logic_.negation(condition);
        solve::SolverAnswer start = smallest_model(logic_, wrong, logic_.pool().variables_of(wrong));
        values_ = std::move(start.model);
        for (std::size_t steps = 0; steps < max_steps; ++steps) {
            time_ = when_false(pair_, time_);
            if (done() || !advance()) break;
        }
        result_.implementation = pair_.implementation;
        result_.specification = pair_.specification;
        if (result_.what.empty()) result_.what = "they differ from here on";
        return std::move(result_);
    }

private:
    static constexpr std::size_t max_steps = 2000;

    const SymbolicGraph& mine() const { return equations_.implementation(); }
    const SymbolicGraph& theirs() const { return equations_.specification(); }

    // The condition in terms of what is not decided yet (the payload).
    ExprId here(ExprId e) {
        expr::Pool& pool = logic_.pool();
        absl::flat_hash_map<VarId, ExprId> by;
        for (VarId v : pool.variables_of(e))
            if (const expr::Value* value = values_.get(v))
                by[v] = pool.literal(*value, pool.variable(v).type);
        return logic_.negation_free(expr::simplify(pool, expr::substitute(pool, e, by)));
    }
    bool possible(ExprId e) { return logic_.solver().check(here(e)).satisfiable == Satisfiable::yes; }

    // The first moment before `limit` at which the pair was known to be wrong for these values.
    std::size_t when_false(StatePair pair, std::size_t limit) {
        std::size_t found = limit;
        for (std::size_t at = limit;;) {
            auto [condition, time] = history_(pair, at);
            if (!logic_.pool().is_false(here(condition)) || time == 0) break;
            found = time;
            at = time;
        }
        return found;
    }

    ExprId known(StatePair pair) { return history_(pair, time_).first; }

    bool end(Mover alone, std::string what) {
        result_.alone = alone;
        result_.what = std::move(what);
        return true;
    }
    bool may_end(Mover alone, std::string what) {
        result_.ending = true;
        return end(alone, std::move(what));
    }

    // An end without a counterpart.
    bool done() {
        ExprId my_end = mine().states[pair_.implementation].terminates;
        ExprId their_end = theirs().states[pair_.specification].terminates;
        bool i_may = my_end && possible(my_end), they_may = their_end && possible(their_end);
        if (i_may && !they_may)
            return may_end(Mover::implementation,
                           "the implementation may end here, the specification may not");
        if (!they_may) return false;
        for (const SilentPath& path : equations_.silent_paths(pair_.implementation)) {
            ExprId ending = mine().states[path.end].terminates;
            if (!ending) continue;
            ExprId way = expr::substitute(logic_.pool(), ending, path.values);
            if (possible(logic_.all_of({path.condition, way}))) return false;
        }
        return may_end(Mover::specification, "the specification may end here, the implementation cannot");
    }

    bool advance() {
        for (const GraphEdge& edge : mine().states[pair_.implementation].out)
            if (edge.label.index == 0 && silent_step(edge)) return true;
        for (const GraphEdge& edge : mine().states[pair_.implementation].out)
            if (edge.label.index != 0 && unmatched(edge, Mover::implementation)) return result_.what.empty();
        for (const GraphEdge& edge : theirs().states[pair_.specification].out)
            if (unmatched(edge, Mover::specification)) return result_.what.empty();
        return false;
    }

    bool silent_step(const GraphEdge& edge) {
        StatePair next{edge.target, pair_.specification};
        ExprId wrong = logic_.negation(equations_.after(known(next), &edge, nullptr));
        ExprId all = here(logic_.all_of({mine().guard(edge), equations_.data(edge), wrong}));
        solve::SolverAnswer answer = logic_.solver().check(all);
        if (answer.satisfiable != Satisfiable::yes) return false;
        go(Mover::implementation, edge, &edge, nullptr, next, answer.model);
        return true;
    }

    // Whether an event of the mover has no counterpart; then the run is led on, or ends.
    bool unmatched(const GraphEdge& edge, Mover mover) {
        bool i_move = mover == Mover::implementation;
        const SymbolicGraph& graph = i_move ? mine() : theirs();
        ExprId taken = here(logic_.all_of({graph.guard(edge), equations_.data(edge)}));
        leads_.clear();
        answers_.clear();
        if (i_move) {
            for (const GraphEdge& their : theirs().states[pair_.specification].out)
                if (their.label == edge.label) add_counterpart(edge, edge, their, {}, pair_.implementation);
        } else {
            for (const SilentPath& path : equations_.silent_paths(pair_.implementation))
                for (const GraphEdge& my : mine().states[path.end].out)
                    if (my.label == edge.label) add_counterpart(edge, my, edge, path, path.end);
        }
        auto alone = unanswered(taken, graph.payload_of(edge.label));
        if (!alone) return false;
        if (const Lead* lead = lead_for(*alone)) {
            if (lead->silent_first) {
                go(Mover::implementation, edge, nullptr, nullptr, lead->next, {}, &lead->values);
                result_.run.back().label = LabelId(0u);
            } else {
                go(mover, edge, lead->mine, lead->theirs, lead->next, *alone, &lead->values);
            }
            return true;
        }
        go(mover, edge, nullptr, nullptr, pair_, *alone);
        return end(mover, i_move ? "the specification does not allow this"
                                 : "the implementation cannot do this, the specification allows it");
    }

    // The smallest data with which no counterpart does what it should; nothing if one always does.
    std::optional<expr::Environment> unanswered(ExprId taken, std::span<const VarId> payload) {
        solve::Solver& solver = logic_.solver();
        auto ask = [&](ExprId condition) { return solver.check(condition, answers_); };
        solver.push();
        solver.assume(taken);
        solve::SolverAnswer found = ask(logic_.yes());
        if (found.satisfiable == Satisfiable::yes) {
            for (VarId v : payload) assume_smallest(logic_, v, ask);
            if (auto small = ask(logic_.yes()); small.satisfiable == Satisfiable::yes)
                found = std::move(small);
        }
        solver.pop();
        if (found.satisfiable != Satisfiable::yes) return std::nullopt;
        return std::move(found.model);
    }

    // Where following a counterpart leads, which is possible with the data that satisfies `fits`.
    struct Lead {
        const GraphEdge* mine = nullptr;
        const GraphEdge* theirs = nullptr;
        StatePair next;
        ExprId fits;
        absl::flat_hash_map<VarId, ExprId> values;
        bool silent_first = false;
    };

    // With this data every counterpart fails: take the first that continues at all, silent steps last.
    const Lead* lead_for(const expr::Environment& data) {
        for (bool silent_first : {false, true})
            for (const Lead& lead : leads_) {
                if (lead.silent_first != silent_first) continue;
                if (silent_first) return &lead;
                expr::Environment known = values_;
                for (VarId v : logic_.pool().variables_of(lead.fits))
                    if (const expr::Value* value = data.get(v)) known.set(v, *value);
                if (expr::satisfied(logic_.pool(), lead.fits, known)) return &lead;
            }
        return nullptr;
    }

    // Remembers when the counterpart does what it should, and where following it leads.
    void add_counterpart(const GraphEdge& moved, const GraphEdge& my, const GraphEdge& their,
                         const SilentPath& path, GraphStateId at) {
        expr::Pool& pool = logic_.pool();
        auto along = [&](ExprId e) { return here(expr::substitute(pool, e, path.values)); };
        const GraphEdge& answer = &moved == &my ? their : my;
        ExprId way = &moved == &my ? theirs().guard(their) : mine().guard(my);
        if (path.condition && !possible(path.condition)) return;
        if (logic_.solver().check(along(way)).satisfiable != Satisfiable::yes) return;
        StatePair between{at, pair_.specification};
        if (between != pair_ && logic_.pool().is_false(along(known(between)))) {
            leads_.push_back({nullptr, nullptr, between, {}, path.values, true});
            return;
        }
        StatePair next{my.target, their.target};
        ExprId then = equations_.after(known(next), &my, &their);
        ExprId answered = along(logic_.all_of({way, equations_.data(answer), then}));
        if (path.condition) answered = logic_.all_of({here(path.condition), answered});
        for (VarId z : path.chosen) answered = logic_.exists(z, answered).value_or(answered);
        answers_.push_back(answered);
        leads_.push_back({&my, &their, next, along(equations_.data(answer)), path.values, false});
    }

    void go(Mover mover, const GraphEdge& shown, const GraphEdge* my, const GraphEdge* their, StatePair next,
            const expr::Environment& model, const absl::flat_hash_map<VarId, ExprId>* along = nullptr) {
        ConformanceStep step{mover, shown.label, {}, pair_.implementation, pair_.specification, shown.node};
        expr::Pool& pool = logic_.pool();
        expr::Environment all = values_;
        auto learn = [&](VarId v) {
            if (const expr::Value* value = model.get(v)) all.set(v, *value);
        };
        const SymbolicGraph& graph = mover == Mover::implementation ? mine() : theirs();
        for (VarId z : graph.payload_of(shown.label)) {
            learn(z);
            if (!all.get(z)) all.set(z, plain(pool.variable(z).type));
            step.data.emplace_back(z, *all.get(z));
        }
        for (const GraphEdge* edge : {my, their})
            if (edge)
                for (VarId z : edge->chosen) learn(z);
        expr::Environment after = all;
        auto update = [&](VarId v, ExprId e) {
            auto value = expr::evaluate(pool, e, all);
            if (auto* found = std::get_if<expr::Value>(&value)) after.set(v, *found);
        };
        if (along)
            for (const auto& [v, e] : *along) update(v, e);
        for (const GraphEdge* edge : {my, their})
            if (edge)
                for (const auto& u : edge->updates) update(u.variable, u.value);
        for (VarId z : graph.payload_of(shown.label)) after.clear(z);
        values_ = std::move(after);
        result_.run.push_back(std::move(step));
        pair_ = next;
    }

    expr::Value plain(expr::TypeId type) {
        switch (logic_.pool().types().kind(type)) {
            case expr::TypeKind::integer: return logic_.pool().types()[type].low.value_or(0);
            case expr::TypeKind::real: return 0.0;
            case expr::TypeKind::string: return std::string();
            case expr::TypeKind::bytes: return expr::Bytes{};
            case expr::TypeKind::enumeration: return expr::EnumMember{0};
            case expr::TypeKind::boolean: return false;
            case expr::TypeKind::record: {
                expr::Sequence fields;
                for (const expr::Field& f : logic_.pool().types()[type].fields)
                    fields.items.push_back(plain(f.type));
                return fields;
            }
            default: return expr::Sequence{};
        }
    }

    PairEquations& equations_;
    Logic& logic_;
    const History& history_;
    Mismatch result_;
    StatePair pair_;
    std::size_t time_ = 0;
    expr::Environment values_;
    // Of the event that is looked at: when its counterparts do what they should, and where they lead.
    std::vector<ExprId> answers_;
    std::vector<Lead> leads_;
};

}  // namespace

Mismatch find_mismatch(PairEquations& equations, Logic& logic, const History& history) {
    return Finder(equations, logic, history).run();
}

}  // namespace treaty::symbolic
