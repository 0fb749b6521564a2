// From a model of the solver to values.
#pragma once

#include <string>
#include <variant>

#include "solve/solver_terms.h"

namespace treaty::solve::smt {

// The value, or why it has none here: an integer beyond 64 bits, a character beyond a byte, and the like.
std::variant<expr::Value, std::string> value_of(const Terms& terms, const z3::model& model,
                                                const TermPtr& term, expr::TypeId type);

}  // namespace treaty::solve::smt
