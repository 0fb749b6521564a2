// Values that programs often get wrong: at the sizes where buffers and counters change, and almost equal to
// an earlier value.
//
// Made from a value that was drawn: a text as long as a power of two (or one byte more or less, or so long
// that its length and that of an earlier text add up to one), an earlier text in another case or with a byte
// more or less, an earlier text again; a number at a power of two, next to an earlier number, with a digit
// more or less than one, or such that their sum is a power of two. The caller checks whether it is allowed.
#pragma once

#include <optional>
#include <span>

#include "expr/value.h"
#include "solve/choices.h"

namespace treaty::roles {

// former: earlier values of the same type. Nothing for types that have no such values.
std::optional<expr::Value> near_value(const expr::Value& drawn, std::span<const expr::Value* const> former,
                                      solve::Choices& choices);

}  // namespace treaty::roles
