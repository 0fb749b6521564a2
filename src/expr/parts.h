// Operators on parts of lists, strings and bytes, and between texts and numbers: slices, take, split, to_int.
//
// Pure functions of values, linear in what they read and write. Where an operation has no value, or a value
// is of another kind than declared, the answer is the reason. Positions and sizes of texts count bytes.
// Texts that do not overlap are looked for from left to right, in linear time whatever they are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/operations.h"

namespace treaty::expr {

constexpr bool is_over_parts(Op op) {
    return op >= Op::slice && op <= Op::from_hex;
}

// The operators are those for which is_over_parts(); items of lists are of their types already. Operands may
// be used up. Leaves the result in *result; returns why there is none, or an empty text.
std::string apply_over_parts(Op op, std::span<Operand> operands, Work& work, Value* result);

// Where the part first occurs from a place on; linear, which std::string::find is not.
std::optional<std::size_t> find_text(std::string_view whole, std::string_view part, std::size_t from = 0);

// What texts to_int and from_hex have a value for, as patterns of all of the text.
std::string decimal_numbers();
std::string hexadecimal_numbers();

}  // namespace treaty::expr
