// Values that programs get wrong: at the sizes where buffers and counters change, and almost like one that
// was there before.
//
// Made from a value that was drawn: a text as long as a power of two (or one more or less, or so long that
// together with a former one it is), a former text in another case or with a byte more or less; a number at a
// power of two, or next to a former one, or such that the sum is. Whether it is allowed is for the caller to
// find out.
#pragma once

#include <optional>
#include <span>

#include "expr/value.h"
#include "solve/choices.h"

namespace treaty::drive {

// former: of the same type. Nothing for types that have no such values.
std::optional<expr::Value> near_value(const expr::Value& drawn, std::span<const expr::Value* const> former,
                                      solve::Choices& choices);

}  // namespace treaty::drive
