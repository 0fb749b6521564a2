// From written expressions to typed ones. Internal to lang/.
//
// One fault, one message: what could not be typed becomes an expression of unknown type, which fits
// everything around it.
#pragma once

#include "lang/context.h"
#include "lang/scope.h"

namespace treaty::lang {

// The typed expression. `wanted`, if valid, is the type that its context requires: it decides what `none`,
// `[]` and enumeration members mean, and a value that does not fit it is reported (`what` names the place).
expr::ExprId type_expression(Context& context, const Scope& scope, SyntaxExprId id, expr::TypeId wanted = {},
                             std::string_view what = {});

// The same, for a value that must be known when the file is read: a literal, or unknown if it is not one,
// which is reported.
expr::ExprId type_constant(Context& context, const Scope& scope, SyntaxExprId id, expr::TypeId wanted = {},
                           std::string_view what = {});

// A constant of the file where `wanted` is required, with the same checks.
expr::ExprId type_constant_of(Context& context, expr::ExprId constant, Span span, expr::TypeId wanted,
                              std::string_view what);

// The same, for a condition.
expr::ExprId type_condition(Context& context, const Scope& scope, SyntaxExprId id);

// The pattern of a regex token, as RE2 reads it (an `i` flag becomes a prefix); reports a bad one.
std::string regex_pattern(Context& context, Span token);

}  // namespace treaty::lang
