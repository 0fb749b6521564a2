// Boolean structure of conditions: normal forms, shorter equivalents, and quantifiers eliminated.
//
// Conditions here are those of graphs: comparisons under and, or, not, implies. What is done:
// - negation_free: not and implies pushed down to the comparisons, repeats and contradictions dropped;
// - exists, for_all: an equivalent condition without the variable. Exact for booleans, enumerations, small
//   ranges (by trying all values), integers and reals in linear comparisons (by trying the finitely many
//   points where the truth can change: Cooper's method), and values of any type that are only compared for
//   equality. For the rest by asking the solver, where nothing but the variable is asked about; else nothing;
// - tidy: true or false where the solver proves it, otherwise shorter where that is cheap;
// - minimal: as few comparisons as can be found, for people to read.
// Conditions have a value everywhere when they are evaluated from left to right (expr/has_value.h). As parts
// change places here, comparisons that rely on what is to the left of them are first made to have a value
// everywhere. All results mean the same as their input. Cost: elimination multiplies the condition by the
// number of its comparisons with the variable; there is a limit on the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/pool.h"
#include "solve/solver.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;

class Logic {
public:
    Logic(expr::Pool& pool, solve::Solver& solver) : pool_(pool), solver_(solver) {}

    expr::Pool& pool() { return pool_; }
    solve::Solver& solver() { return solver_; }

    ExprId yes() { return pool_.boolean(true); }
    ExprId no() { return pool_.boolean(false); }
    ExprId all_of(std::vector<ExprId> parts);
    ExprId any_of(std::vector<ExprId> parts);
    ExprId implies(ExprId a, ExprId b) { return any_of({negation(a), b}); }
    ExprId negation(ExprId e) { return normal(e, true); }
    ExprId negation_free(ExprId e) { return normal(e, false); }

    std::optional<ExprId> exists(VarId z, ExprId e);
    std::optional<ExprId> for_all(VarId z, ExprId e);
    // Whether a condition has more parts than an elimination may have as its result.
    bool too_large(ExprId e);

    ExprId tidy(ExprId e);
    ExprId minimal(ExprId e);
    // Why the last elimination gave nothing.
    const std::string& problem() const { return problem_; }
    // What was done so far: it grows with the conditions, and not faster.
    struct Work {
        std::size_t examined = 0;  // parts looked at for operations without a value: each once
        std::size_t combined = 0;  // parts that were put into a conjunction or disjunction
    };
    const Work& work() const { return work_; }

    // The parts of a conjunction; the condition itself if it is not one.
    std::vector<ExprId> conjuncts(ExprId e) const;
    std::vector<ExprId> disjuncts(ExprId e) const;
    // The comparisons (and boolean variables) of a condition, in order of appearance.
    std::vector<ExprId> atoms(ExprId e) const;

private:
    ExprId total(ExprId e);
    ExprId normal(ExprId e, bool negative);
    std::vector<ExprId> operands(ExprId e) const;
    void make_normal(ExprId part, const std::vector<ExprId>& operands);
    ExprId opposite(ExprId atom);
    std::optional<ExprId> exists_in_some(VarId z, const std::vector<ExprId>& parts);
    std::optional<ExprId> asked(VarId z, ExprId e);
    std::optional<ExprId> try_values(VarId z, ExprId e);
    std::optional<ExprId> try_points(VarId z, ExprId e);
    std::optional<ExprId> by_equality(VarId z, ExprId e);
    std::optional<ExprId> replaced(ExprId e, VarId z, ExprId by);
    std::optional<ExprId> only_values(ExprId e);
    ExprId shorten(ExprId e, std::size_t& budget);
    bool mentions(ExprId e, VarId z) const;
    bool is_atom(ExprId part) const;

    expr::Pool& pool_;
    solve::Solver& solver_;
    absl::flat_hash_map<ExprId, ExprId> total_;
    absl::flat_hash_map<std::pair<ExprId, bool>, ExprId> normal_;
    std::string problem_;
    Work work_;
};

}  // namespace treaty::symbolic
