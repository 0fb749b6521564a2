// Where an expression has a value, as a condition that always has one.
//
// Division by zero, an item or slice outside its list, value(none), the least item of an empty list, split at
// an empty text, and unhex, unbase64, to_int or from_hex of another text have no value (evaluate.h); neither
// has anything that needs them. A condition without a value does not hold, so "c does not hold" is not the
// same as `not c`. These functions make the difference explicit, so that code that negates, reorders or
// solves conditions may treat them as plain two-valued logic:
//
//     has_value(10 / x > 1)  is  x != 0
//     holds(10 / x > 1)      is  x != 0 and 10 / x > 1     true exactly where the condition holds, else false
//     value_or_default(10 / x)  is  if x != 0 then 10 / x else 0
//
// A variable whose computation may lack a value has a companion, a boolean variable that is true if it has
// one (Pool::presence_of). An assignment to the variable assigns the companion first:
//
//     present := has_value(e);  v := if present then e else 0
//
// Numbers are mathematical here: that arithmetic may leave 64 bits is not looked at.
// What is returned is evaluated from left to right without a fault; once it is split into parts that may be
// reordered, each part needs total_parts(). What has a value everywhere is returned as it is.
#pragma once

#include "expr/pool.h"

namespace treaty::expr {

// Whether variables with a companion may be without a value. They may in what a protocol says; once that has
// been completed, the companions are variables like others, and every variable has a value.
enum class Variables : std::uint8_t { may_lack, all_present };

ExprId has_value(Pool& pool, ExprId expression, Variables variables = Variables::may_lack);
// Whether has_value() is not simply true. Exact enough: where it returns no, there is a value everywhere.
bool may_lack_value(Pool& pool, ExprId expression, Variables variables = Variables::may_lack);

ExprId holds(Pool& pool, ExprId condition);
ExprId does_not_hold(Pool& pool, ExprId condition);
ExprId value_or_default(Pool& pool, ExprId expression, Variables variables = Variables::may_lack);

// The expression with each operation that may lack a value replaced by value_or_default() of it: the same
// where it has a value, and no fault anywhere.
ExprId total_parts(Pool& pool, ExprId expression, Variables variables = Variables::may_lack);

// A value of the type: zero or what is nearest to it, the empty text, the first member.
Value default_value(TypeId type, const Types& types);

}  // namespace treaty::expr
