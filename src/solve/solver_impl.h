// What a Solver consists of; for its own two source files.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "solve/solver.h"
#include "solve/solver_sizes.h"
#include "solve/solver_translate.h"

namespace treaty::solve::smt {

// Two solvers in one context: one follows the levels, the other starts each question anew.
struct Engine {
    Engine(expr::Pool& pool, std::shared_ptr<z3::context> in);
    static z3::solver make_solver(z3::context& context);

    std::shared_ptr<z3::context> shared;
    z3::context& context = *shared;
    z3::solver along_levels;
    z3::solver alone;
    Translator translator;
};

struct Level {
    std::vector<expr::ExprId> conjuncts;
    std::size_t asserted = 0;  // how many of them Z3 has
    bool pushed = false;       // whether Z3 has the level
    absl::flat_hash_set<expr::VarId> constrained;
};

// What is asked: all of `conjuncts`, and none of `refuted`, which are false or have a fault.
struct Question {
    std::vector<expr::ExprId> conjuncts;  // sorted, without repeats
    std::vector<expr::ExprId> refuted;    // likewise
    friend bool operator==(const Question&, const Question&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Question& q) {
        return H::combine(std::move(h), q.conjuncts, q.refuted);
    }
};

// What is known of an expression.
struct Facts {
    std::vector<expr::VarId> variables;
    bool large_numbers = false;
};

// How a question is put to Z3.
struct Manner {
    enum class Lengths : std::uint8_t { moderate, any, tiny };  // of texts and lists
    Lengths lengths = Lengths::moderate;
    std::optional<std::int64_t> integers;  // the largest magnitude
    unsigned share = 1;                    // of the work a question may cost, in twelfths
};

enum class Outcome : std::uint8_t { settled, open, refuted_if_short };

}  // namespace treaty::solve::smt

namespace treaty::solve {

struct SolverContext::Shared {
    std::shared_ptr<z3::context> context;  // none yet, or none any more
    std::size_t made = 0;
};

struct Solver::Impl {
    Impl(expr::Pool& pool, std::chrono::milliseconds limit, std::shared_ptr<SolverContext::Shared> shared);

    // solver.cpp: levels and remembered answers.
    SolverAnswer ask(expr::ExprId condition, std::vector<expr::ExprId> refuted);
    SolverAnswer decide(const smt::Question& question);
    void start();
    void start_after_failure();
    void forget_levels();  // what Z3 has of them
    const smt::Facts& facts(expr::ExprId id);

    // solver_ask.cpp: one question.
    SolverAnswer ask_z3(const smt::Question& question);
    struct Nesting {
        bool nested = false;    // lists of texts, bytes or lists occur in it
        std::size_t parts = 0;  // its size
    };
    Nesting nesting(const smt::Question& question) const;
    void rephrase();
    void pose();
    void hand_over_levels();
    void refute_one(expr::ExprId condition, absl::flat_hash_set<expr::VarId>& here);
    void assert_one(expr::ExprId conjunct, absl::flat_hash_set<expr::VarId>& here);
    void constrain(expr::VarId id, absl::flat_hash_set<expr::VarId>& here);
    z3::expr bound(const smt::Manner& manner);
    smt::Outcome attempt(const smt::Manner& manner, SolverAnswer& answer);
    std::string read_model(expr::Environment& model);
    std::string confirm(const expr::Environment& model);
    std::string why_unknown();
    void abandon();
    bool alone() const { return !sizes.empty(); }
    z3::solver& z3_solver() { return alone() ? engine->alone : engine->along_levels; }

    expr::Pool& pool;
    std::chrono::milliseconds limit;
    std::shared_ptr<SolverContext::Shared> shared;
    smt::Sizes size_finder;
    std::unique_ptr<smt::Engine> engine;
    std::vector<smt::Level> levels;
    absl::flat_hash_map<smt::Question, SolverAnswer> remembered;
    absl::flat_hash_map<expr::ExprId, smt::Facts> known_facts;
    std::size_t queries = 0;
    std::size_t without_z3 = 0;
    std::chrono::nanoseconds in_z3{};

    // The current question.
    smt::Question original;
    smt::Question asked;                   // the same, with sizes as integers
    std::vector<smt::SizeVariable> sizes;  // the variables this concerns
    std::vector<expr::VarId> variables;    // of `asked`
    bool large_numbers = false;
    bool posed = false;    // whether Z3 has it
    std::string left_out;  // what the solver has no theory for in it; empty if nothing
};

}  // namespace treaty::solve
