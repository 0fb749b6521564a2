// Questions about expressions, answered by Z3: one Z3 context a run, one long-lived solver in it for each
// pool, push and pop along a search.
//
// Integers, reals, booleans, enumerations (as bounded integers), strings, records (flattened field by
// field), optionals (a flag and a value) are translated exactly, faults included: where evaluate() has a
// fault, a condition does not hold. Integers and reals are mathematical ones; ranges of declared types are
// added as constraints. Lists become sequences where the solver has them (size, at, concat, literal,
// member); `sum` and `permutes` are translated where the number of items is known; `sorted`, `lower`, `upper`
// and `matches` only of constants. A conjunct that is not translated is left out of the question: if the rest
// has no solution, or one that happens to satisfy all of it, that is the answer, otherwise it is `unknown`
// with the reason, never a guess. A model is given out only after evaluate() has confirmed it.
//
// Each query has a limit of work that takes about the given time, so the same question has the same
// answer on a busy machine too. Texts and lists are tried up to a moderate length, any length where nothing
// but their size matters. Results of equal queries are remembered by expression id. Z3's memory is limited
// for the whole process. Not safe for concurrent use.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "expr/pool.h"

namespace treaty::solve {

enum class Satisfiable : std::uint8_t { yes, no, unknown };

struct SolverAnswer {
    Satisfiable satisfiable = Satisfiable::unknown;
    expr::Environment model;  // when yes: a value for every variable that occurs (checked by evaluation)
    std::string reason;       // when unknown
};

// What Z3 keeps between questions, shared by the solvers that are given it: making one costs more than making
// ten solvers, so a run has one. Solvers that share it must not be used at the same time.
class SolverContext {
public:
    SolverContext();

private:
    friend class Solver;
    struct Shared;
    explicit SolverContext(std::shared_ptr<Shared> shared);
    std::shared_ptr<Shared> shared_;
};

class Solver {
public:
    explicit Solver(expr::Pool& pool, std::chrono::milliseconds query_limit = std::chrono::seconds(5),
                    const SolverContext& context = {});
    ~Solver();
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    SolverContext context() const;  // for another solver beside this one

    void push();
    void pop();
    void assume(expr::ExprId condition);  // on the current level

    SolverAnswer check();                        // is what is assumed satisfiable?
    SolverAnswer check(expr::ExprId condition);  // together with this condition
    // Together with this condition, while none of these holds: each is false or has a fault.
    SolverAnswer check(expr::ExprId condition, std::vector<expr::ExprId> refuted);
    Satisfiable valid(expr::ExprId condition);  // does it hold for all values, under what is assumed?

    std::size_t query_count() const;
    std::size_t remembered_count() const;  // queries answered without asking Z3
    std::chrono::nanoseconds time_in_z3() const;
    // Contexts that Z3 made for this and the solvers it shares them with: one more after each of its
    // failures.
    std::size_t context_count() const;
    std::size_t level_count() const;  // pushes without their pop

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::solve
