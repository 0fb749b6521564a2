// From constraints to domains: what a conjunct allows for one variable when all others have values.
//
// Understood are comparisons of the variable (or a field of it, an element at a known place, its size, its
// sum, what it holds, itself plus or minus something, its letters made small or large) with something known;
// `in`, `permutes`, `matches`, `contains`, `starts_with`, `ends_with`; and the negations of these. What is
// not understood narrows nothing.
#pragma once

#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/evaluate.h"
#include "expr/pool.h"
#include "solve/domain.h"

namespace treaty::solve {

// The conjuncts of a condition, calls written out and negations pushed inwards as far as that gives more.
std::vector<expr::ExprId> conjuncts_of(expr::Pool& pool, expr::ExprId condition);

// Conditions of which one holds where this one does: the alternatives of a disjunction, of an implication, of
// a conjunction that is denied, and the sizes that size(x) may have; just itself for anything else.
std::vector<expr::ExprId> alternatives_of(expr::Pool& pool, expr::ExprId condition);

// The variables of expressions of one pool, each found once. Not safe for concurrent use.
class VariableTable {
public:
    explicit VariableTable(const expr::Pool& pool) : pool_(pool) {}
    const std::vector<expr::VarId>& of(expr::ExprId e);  // ascending; valid until the next call

private:
    const expr::Pool& pool_;
    absl::flat_hash_map<expr::ExprId, std::vector<expr::VarId>> known_;
};

// Narrows the variable's domain by the conjunct. Parts of it that need a variable without a value in the
// environment narrow nothing. table: null, or one of this pool, for callers that ask often.
void narrow(const expr::Pool& pool, Domain& domain, expr::VarId variable, expr::ExprId conjunct,
            const expr::Environment& known, VariableTable* table = nullptr);

}  // namespace treaty::solve
