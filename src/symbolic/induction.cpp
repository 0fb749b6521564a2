#include "symbolic/induction.h"

#include <algorithm>
#include <set>

#include "expr/evaluate.h"
#include "expr/simplify.h"
#include "symbolic/linear.h"

namespace treaty::symbolic {
namespace {

using expr::Op;
using solve::Satisfiable;

constexpr std::size_t max_constants = 6;
constexpr std::size_t max_facts = 400;  // of one pair
constexpr std::size_t max_summed = 8;   // variables of a pair, for sums of two of them

class Prover {
public:
    Prover(PairEquations& equations, Logic& logic, const std::vector<StatePair>& pairs,
           const base::Deadline& deadline)
        : equations_(equations), logic_(logic), pool_(logic.pool()), pairs_(pairs), deadline_(deadline) {
        for (std::size_t p = 0; p < pairs.size(); ++p) ids_[pairs[p]] = p;
    }

    bool run() {
        guess();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t p = 0; p < pairs_.size(); ++p) {
                if (deadline_.passed()) return false;
                changed = weaken_targets(p) || changed;
            }
        }
        for (auto& facts : facts_) drop_repeated(facts);
        for (std::size_t p = 0; p < pairs_.size(); ++p)
            if (deadline_.passed() || !satisfied(p)) return false;
        return true;
    }

private:
    // The literals of both graphs that values are compared with or computed from, nearest to zero first.
    std::vector<ExprId> constants() {
        std::set<ExprId> found;
        auto look = [&](ExprId e) {
            if (!e) return;
            for (ExprId part : pool_.parts_of(e))
                if (pool_.is_literal(part) && pool_[part].type != pool_.types().boolean()) found.insert(part);
        };
        for (const SymbolicGraph* graph : {&equations_.implementation(), &equations_.specification()})
            for (const GraphState& state : graph->states) {
                look(state.terminates);
                for (const GraphEdge& edge : state.out) {
                    look(graph->guard(edge));
                    look(edge.condition);
                    for (const auto& u : edge.updates) look(u.value);
                }
            }
        std::vector<ExprId> out(found.begin(), found.end());
        auto size = [&](ExprId e) {
            auto* number = std::get_if<std::int64_t>(&pool_.literal_of(e).v);
            return number ? std::abs(std::clamp<std::int64_t>(*number, -1'000'000, 1'000'000)) : 0;
        };
        std::stable_sort(out.begin(), out.end(), [&](ExprId a, ExprId b) { return size(a) < size(b); });
        if (out.size() > max_constants) out.resize(max_constants);
        return out;
    }

    void guess() {
        auto mine = live_variables(equations_.implementation());
        auto theirs = live_variables(equations_.specification());
        std::vector<ExprId> fixed = constants();
        facts_.assign(pairs_.size(), {});
        for (std::size_t p = 1; p < pairs_.size(); ++p) {
            const auto& a = mine[pairs_[p].implementation];
            const auto& b = theirs[pairs_[p].specification];
            std::vector<ExprId> all;
            for (const auto* side : {&a, &b})
                for (VarId v : *side) all.push_back(pool_.var(v));
            // Equations between the sides first, so that the redundant facts that are dropped are the others.
            for (VarId x : a)
                for (VarId y : b) compare_pair(p, pool_.var(x), pool_.var(y), fixed);
            for (std::size_t i = 0; i < all.size(); ++i) {
                for (ExprId c : fixed) relate(p, all[i], c);
                for (std::size_t k = i + 1; k < all.size(); ++k) relate(p, all[i], all[k]);
            }
            add_sums(p, all);
        }
    }
    // One is the sum of two others, for example of the part done and the part left.
    void add_sums(std::size_t p, const std::vector<ExprId>& all) {
        if (all.size() > max_summed) return;
        for (ExprId total : all)
            for (std::size_t i = 0; i < all.size(); ++i)
                for (std::size_t k = i + 1; k < all.size(); ++k) {
                    ExprId x = all[i], y = all[k];
                    if (x == total || y == total || !number(x)) continue;
                    if (base_of(x) != base_of(y) || base_of(x) != base_of(total)) continue;
                    add(p, compare(pool_, Op::equal, total, plus(pool_, x, y)));
                }
    }

    expr::TypeId base_of(ExprId e) const { return pool_.types().base(pool_[e].type); }
    bool number(ExprId e) const {
        expr::TypeKind kind = pool_.types().kind(pool_[e].type);
        return kind == expr::TypeKind::integer || kind == expr::TypeKind::real;
    }

    void add(std::size_t p, ExprId fact) {
        auto& facts = facts_[p];
        if (facts.size() < max_facts && !pool_.is_literal(fact) &&
            std::find(facts.begin(), facts.end(), fact) == facts.end())
            facts.push_back(fact);
    }
    void relate(std::size_t p, ExprId x, ExprId y) {
        if (base_of(x) != base_of(y)) return;
        add(p, compare(pool_, Op::equal, x, y));
        if (!number(x)) return;
        add(p, compare(pool_, Op::less_equal, x, y));
        add(p, compare(pool_, Op::greater_equal, x, y));
    }
    // At the distance of a constant, too.
    void compare_pair(std::size_t p, ExprId x, ExprId y, const std::vector<ExprId>& fixed) {
        if (base_of(x) != base_of(y)) return;
        add(p, compare(pool_, Op::equal, x, y));
        if (pool_.types().kind(pool_[x].type) != expr::TypeKind::integer) return;
        for (ExprId c : fixed) {
            if (base_of(c) != base_of(x) || pool_.literal_of(c).integer() == 0) continue;
            add(p, compare(pool_, Op::equal, x, plus(pool_, y, c)));
            add(p, compare(pool_, Op::equal, y, plus(pool_, x, c)));
        }
    }

    // Drops from the targets of a pair what a step from it does not preserve.
    bool weaken_targets(std::size_t p) {
        bool changed = false;
        const StatePair pair = pairs_[p];
        for (const GraphEdge& mine : equations_.implementation().states[pair.implementation].out) {
            if (mine.label.index == 0) {
                changed = weaken(p, {mine.target, pair.specification}, mine, nullptr) || changed;
                continue;
            }
            for (const GraphEdge& their : equations_.specification().states[pair.specification].out)
                if (their.label == mine.label)
                    changed = weaken(p, {mine.target, their.target}, mine, &their) || changed;
        }
        return changed;
    }

    bool weaken(std::size_t p, StatePair target, const GraphEdge& mine, const GraphEdge* their) {
        std::vector<ExprId> taken = facts_[p];
        taken.push_back(equations_.implementation().guard(mine));
        taken.push_back(equations_.data(mine));
        if (their) {
            taken.push_back(equations_.specification().guard(*their));
            taken.push_back(equations_.data(*their));
        }
        ExprId before = logic_.all_of(taken);
        auto& there = facts_[ids_.at(target)];
        std::size_t size = there.size();
        std::vector<ExprId> after;
        for (ExprId fact : there) after.push_back(equations_.after(fact, &mine, their));
        while (!there.empty()) {
            solve::SolverAnswer answer =
                logic_.solver().check(logic_.all_of({before, logic_.negation(logic_.all_of(after))}));
            if (answer.satisfiable == Satisfiable::no) break;
            // One run that breaks some of them shows all that it breaks.
            bool dropped = false;
            for (std::size_t i = there.size(); i-- > 0;) {
                bool kept =
                    answer.satisfiable == Satisfiable::yes && expr::satisfied(pool_, after[i], answer.model);
                if (kept) continue;
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(i));
                after.erase(after.begin() + static_cast<std::ptrdiff_t>(i));
                dropped = true;
            }
            if (!dropped) {
                there.clear();
                after.clear();
            }
        }
        return there.size() != size;
    }

    // What already follows from the facts before it.
    void drop_repeated(std::vector<ExprId>& facts) {
        std::vector<ExprId> kept;
        for (ExprId fact : facts)
            if (logic_.solver().valid(logic_.implies(logic_.all_of(kept), fact)) != Satisfiable::yes)
                kept.push_back(fact);
        facts = std::move(kept);
    }

    bool satisfied(std::size_t p) {
        ExprId here = logic_.all_of(facts_[p]);
        if (logic_.solver().check(here).satisfiable == Satisfiable::no) return true;
        auto value =
            equations_.evaluate(pairs_[p], [&](StatePair q) { return logic_.all_of(facts_[ids_.at(q)]); });
        return value && logic_.solver().valid(logic_.implies(here, *value)) == Satisfiable::yes;
    }

    PairEquations& equations_;
    Logic& logic_;
    expr::Pool& pool_;
    const std::vector<StatePair>& pairs_;
    base::Deadline deadline_;
    absl::flat_hash_map<StatePair, std::size_t> ids_;
    std::vector<std::vector<ExprId>> facts_;
};

}  // namespace

bool proved_by_induction(PairEquations& equations, Logic& logic, const std::vector<StatePair>& pairs,
                         const base::Deadline& deadline) {
    return Prover(equations, logic, pairs, deadline).run();
}

}  // namespace treaty::symbolic
