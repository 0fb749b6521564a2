// From expressions to the solver's terms, each expression once.
//
// Besides its term, an expression has a condition under which it is defined: where evaluate() gives a fault
// (division by zero, an index outside, value(none)) it is not. Integers are mathematical, so going beyond 64
// bits is no fault here; but products of products of products, whose numbers alone would fill the memory, are
// not translated. Calls are translated by their bodies, which therefore grow the pool.
//
// What the solver has no theory for (`s matches /a+/`, `sha1(s)`) may have any value of its type, the same
// wherever the expression occurs. So a `no` still is a proof, and a condition and its negation contradict
// each other; a `yes` is confirmed by evaluation, as everywhere.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "solve/solver_terms.h"

namespace treaty::solve::smt {

struct Translation {
    TermPtr term;                     // null: not even a value that is not known represents it
    std::optional<z3::expr> defined;  // none: always
    std::string problem;              // what the solver has no theory for, in it or in a part of it
    double bits = 0;                  // about how long its numbers can get; a variable counts as 64
    bool too_large = false;           // it is not handed to the solver at all
};

class Translator {
public:
    Translator(expr::Pool& pool, z3::context& context) : pool_(pool), terms_(context, pool.types()) {}

    const Translation& translate(expr::ExprId id);
    // Declares it if need be; null if its type cannot be translated.
    const Declared* variable(expr::VarId id);
    const Terms& terms() const { return terms_; }
    std::size_t size() const { return done_.size(); }

private:
    const std::vector<expr::ExprId>& bodies_of(expr::ExprId id);
    Translation finish(expr::ExprId id);
    Translation any_value(expr::ExprId id, const Untranslatable& fault);

    expr::Pool& pool_;
    Terms terms_;
    absl::flat_hash_map<expr::ExprId, Translation> done_;
    Translation finish_items(expr::ExprId id);
    // Of calls, and of what is done for each item: the bodies of functions, parameters replaced.
    absl::flat_hash_map<expr::ExprId, std::vector<expr::ExprId>> bodies_;
    absl::flat_hash_map<expr::VarId, std::optional<Declared>> variables_;
};

// One operator whose operands are translated (solver_operations.cpp): every operator but literal, var and
// call. Throws Untranslatable.
Translation translate_operator(const expr::Pool& pool, const Terms& terms, expr::ExprId id,
                               std::span<const Translation* const> operands);

// Both conditions; none means always.
std::optional<z3::expr> both(const std::optional<z3::expr>& a, const std::optional<z3::expr>& b);

}  // namespace treaty::solve::smt
