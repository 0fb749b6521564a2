// Classes of values, by the shape of the value: "0", "negative", "empty", "more than 100", "true", the
// members of an enumeration, ...
//
// Every value is of exactly one of the classes of its type, and is so if and only if it satisfies the
// condition of the class. Records have none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/pool.h"
#include "expr/value.h"

namespace treaty::drive {

// The texts live for ever. Of an enumeration it is "#3" for its fourth member.
std::string_view value_class(const expr::Value& value);

// All of a type, without those that its range excludes.
std::vector<std::string_view> value_classes(const expr::Types& types, expr::TypeId type);

// That the expression, of this type, has a value of this class.
expr::ExprId class_condition(expr::Pool& pool, expr::ExprId x, expr::TypeId type, std::string_view name);

// For people: the member's name instead of its number.
std::string class_text(std::string_view name, const expr::Types& types, expr::TypeId type,
                       const base::Names& names);

}  // namespace treaty::drive
