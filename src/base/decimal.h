// Decimal numbers read exactly: times and durations are whole numbers of nanoseconds, never binary fractions.
//
// 9.2 has no exact binary fraction, so 9.2 - 8.2 is more than one second in floating point. Code that reads a
// time reads it with this.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treaty::base {

// The number times `factor`, rounded to the nearest integer (halves away from zero). The text is a decimal
// number as JSON writes it: -12, 0.5, 1.25e3; nothing for any other text and for results beyond 64 bits.
// factor: from 1 to 10^13.
std::optional<std::int64_t> scaled_decimal(std::string_view text, std::int64_t factor);

// How much of the text is such a number; 0: it does not begin with one.
std::size_t decimal_prefix(std::string_view text);

}  // namespace treaty::base
