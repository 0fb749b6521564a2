// Operators of expressions by name, and what each wants.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "expr/pool.h"

namespace treaty::formats {

std::string_view op_name(expr::Op op);
std::optional<expr::Op> parse_op(std::string_view name);

// Whether an operation with operands of these types may have this type, by the rules of the language. Not for
// literal, var, field and call, which their reader checks.
bool well_typed(expr::Types& types, expr::Op op, expr::TypeId type, std::span<const expr::TypeId> operands);

}  // namespace treaty::formats
