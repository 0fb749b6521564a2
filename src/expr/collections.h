// Sets and maps: sequences that are ascending and without repeats, so that equal ones are equal values.
//
// A set holds its items, a map its entries, each a sequence of a key and a value; the order is that of the
// items or keys (value.h). Looking something up is a binary search; changing one copies it.
// The operators on collections are pure functions of values, linear in what they read and write but for the
// sorting of literals. Those that evaluate an expression for each item (`all`, `any`, `for`, `fold`) are in
// evaluate.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "expr/operations.h"

namespace treaty::expr {

constexpr bool is_over_collections(Op op) {
    return op >= Op::set && op <= Op::to_set;
}

bool is_set(const Sequence& sequence);
bool is_map(const Sequence& sequence);  // of entries

// The items in any order, with repeats.
Sequence set_of(std::vector<Value> items);
// A key, its value, the next key and so on; of a key that is repeated the last value counts.
Sequence map_of(std::vector<Value> keys_and_values);

// The value of a key; null if the map does not have it.
const Value* find_key(const Sequence& map, const Value& key);
bool has_item(const Sequence& set, const Value& item);
Sequence with_key(Sequence map, Value key, Value value);

// The operators are those for which is_over_collections(), and concat, subtract-like difference and member
// of sets and maps; operands are of their types already and may be used up. Leaves the result in *result;
// returns why there is none, or an empty text.
std::string apply_over_collections(Op op, TypeKind kind, std::span<Operand> operands, Work& work,
                                   Value* result);

}  // namespace treaty::expr
