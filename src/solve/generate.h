// Values that satisfy a condition, made from the condition itself, without a written generator.
//
// generate() gives each of the variables a value such that the condition holds together with what is known.
// Direct strategies first (ranges, members, equalities, sizes, patterns, permutations, alternatives), one
// variable after the other, each narrowed by those before it; then all combinations where they are few; then
// the solver, whose answers are remembered by all that they depend on. Every result has been checked by
// evaluate(). Found::no is a proof, and comes with conjuncts that contradict each other if that is wished;
// Found::unknown has what was tried. All work is bounded.
//
// Small values and those at the ends of their range come often, and so do values that were there before.
// A result is a function of the choices (and of what is known and seen), so replaying them gives the same
// values; see shrink.h. A Generator remembers plans and keeps a solver; it is not safe for concurrent use.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "expr/pool.h"
#include "solve/choices.h"
#include "solve/domain.h"
#include "solve/solver.h"

namespace treaty::solve {

enum class Found : std::uint8_t { yes, no, unknown };

// What holds for every element of a list: the condition is about `element`, which represents each of them.
struct ElementRule {
    expr::VarId list;
    expr::VarId element;
    expr::ExprId condition;
};

struct GenerateOptions {
    std::size_t tries = 40;             // of the direct strategies, before others are asked
    std::uint64_t combinations = 5000;  // at most so many are looked at one by one
    std::int64_t longest = 16;          // of texts and lists that might be longer
    bool solver = true;
    bool contradictions = false;  // where there are no values, find conjuncts that contradict each other
    // Values to come back to now and then, beside those that are known; the newest are the last.
    std::vector<expr::Value> seen;
    // Narrow what is drawn, where they can; what is found is not checked against them.
    std::vector<ElementRule> elements;
};

struct Generated {
    Found found = Found::unknown;
    expr::Environment values;        // yes: the known ones and one for each variable
    std::vector<std::string> how;    // yes: the strategy for each variable: any, range, member, ..., solver
    std::vector<expr::ExprId> core;  // no, with `contradictions`: conjuncts that cannot hold together
    std::string reason;              // unknown
};

class Generator {
public:
    explicit Generator(expr::Pool& pool, GenerateOptions options = {});
    ~Generator();

    // condition: none means true.
    Generated generate(std::span<const expr::VarId> variables, expr::ExprId condition,
                       const expr::Environment& known, Choices& choices);
    GenerateOptions& options();
    std::size_t solver_calls() const;  // so far; those whose answer was known already do not count

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::solve
