// The types that operators give: of calls by name, and of signs between two operands.
#pragma once

#include <span>
#include <utility>

#include "expr/operators.h"
#include "expr/types.h"
#include "lang/token.h"

namespace treaty::lang {

// Of a function that the language has, with as many operands as it takes. None if they do not fit.
expr::TypeId result_of(expr::Types& types, expr::Op op, std::span<const expr::TypeId> given);

// What the sign between two operands means, and its type; none if they do not fit.
std::pair<expr::Op, expr::TypeId> result_of(expr::Types& types, TokenKind op, expr::TypeId a, expr::TypeId b);

}  // namespace treaty::lang
