// Finite sets of values of a type: all that conditions leave, or some that differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/evaluate.h"
#include "expr/pool.h"

namespace treaty::symbolic {

// A condition, and the variable by which it names the value in question.
struct NamedCondition {
    expr::VarId value;
    expr::ExprId condition;  // none: true
};

// At least all values of the type for which the conditions can hold, ascending: ranges, sizes of lists with
// few elements, patterns, lists of members, and alternatives of these. Variables that are not known may have
// any value. Nothing if there are more than the limit, or if the conditions do not show that there are fewer.
// Adds to the pool.
std::optional<std::vector<expr::Value>> values_within(expr::Pool& pool, expr::TypeId type,
                                                      std::span<const NamedCondition> conditions,
                                                      const expr::Environment& known, std::size_t limit);

// Different values of a type with many: `most` of them, or all if there are fewer. Of texts and lists, those
// of one size (for other types the size is 0). Nothing for types of which no others are known to exist, and
// for sizes that would be unwieldy.
std::optional<std::vector<expr::Value>> some_values(const expr::Types& types, expr::TypeId type,
                                                    std::int64_t size, std::size_t most);

}  // namespace treaty::symbolic
