// Classes of values, by the shape of the value: "0", "negative", "empty", "more than 100", "true", the
// members of an enumeration, ...
//
// Every value is in exactly one class of its type: the one whose condition it satisfies. Records have no
// classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/pool.h"
#include "expr/value.h"

namespace treaty::roles {

// The texts are static. "#3" is the fourth member of an enumeration.
std::string_view value_class(const expr::Value& value);

// All classes of a type, except those that its range excludes.
std::vector<std::string_view> value_classes(const expr::Types& types, expr::TypeId type);

// The condition that the expression, of this type, has a value of this class.
expr::ExprId class_condition(expr::Pool& pool, expr::ExprId x, expr::TypeId type, std::string_view name);

// For people: the name of a member instead of its number.
std::string class_text(std::string_view name, const expr::Types& types, expr::TypeId type,
                       const base::Names& names);

}  // namespace treaty::roles
