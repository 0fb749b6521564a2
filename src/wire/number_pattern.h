// The numbers that a text pattern lets through, by their sign and how many digits they have.
//
// The bounds are never too narrow: a number outside them has no text that matches. They may be too wide,
// where a pattern says more than sign and digits, and say nothing of a pattern that only RE2 can read.
// Costs some small automata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solve/pattern_tree.h"

namespace treaty::wire {

enum class Side : std::uint8_t {
    writing,  // numbers as they are written: zeros in front only where all texts have one length
    reading,  // whatever reads as a number
};

struct NumberBounds {
    std::int64_t low = INT64_MIN, high = INT64_MAX;
    friend bool operator==(const NumberBounds&, const NumberBounds&) = default;
};

// The length that all texts of the pattern have; nothing where they differ, or are long.
std::optional<std::size_t> one_length(const solve::PatternTree& tree);

NumberBounds number_bounds(const std::string& pattern, Side side);

}  // namespace treaty::wire
