// From expressions to the solver's terms, each expression once.
//
// Besides its term, an expression has a condition under which it is defined: where evaluate() gives a fault
// (division by zero, an index outside, value(none)) it is not. Integers are mathematical, so going beyond 64
// bits is no fault here; but products of products of products, whose numbers alone would fill the memory, are
// not translated. Calls are translated by their bodies, which therefore grow the pool.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "solve/solver_terms.h"

namespace treaty::solve::smt {

struct Translation {
    TermPtr term;
    std::optional<z3::expr> defined;  // none: always
    std::string problem;              // why there is no term; empty if there is one
    double bits = 0;                  // about how long its numbers can get; a variable counts as 64
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
    expr::ExprId body_of(expr::ExprId call);
    Translation finish(expr::ExprId id);

    expr::Pool& pool_;
    Terms terms_;
    absl::flat_hash_map<expr::ExprId, Translation> done_;
    absl::flat_hash_map<expr::ExprId, expr::ExprId> bodies_;  // of calls, parameters replaced
    absl::flat_hash_map<expr::VarId, std::optional<Declared>> variables_;
};

}  // namespace treaty::solve::smt
