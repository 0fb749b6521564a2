// The ranges inside a message's fields: of the elements of lists, of what an optional holds, of the fields of
// records, at any depth. No condition of the language says "every element", so they are broken in a value
// that is there, not by solving.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/pool.h"
#include "expr/value.h"
#include "solve/choices.h"

namespace treaty::wire {

struct InnerRange {
    std::size_t field = 0;  // of the message
    // From the field's value inwards: a record's field, or nothing where any element will do.
    std::vector<std::optional<std::size_t>> path;
    std::int64_t beyond = 0;  // the nearest number outside
    std::string text;         // "ports[i] <= 65535"
};

// In the order of the fields; lower ends before upper ones. Bounds at the ends of 64 bits have nothing
// beyond.
std::vector<InnerRange> inner_ranges(const expr::Pool& pool, std::span<const expr::Field> fields);

// Puts the number beyond the range into one place that the path leads to; false if it leads to none.
bool overstep(const InnerRange& range, expr::Value& of_field, solve::Choices& choices);

}  // namespace treaty::wire
