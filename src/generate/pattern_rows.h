// The automaton of a pattern as rows of numbers: what the runtimes match texts with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace treaty::generate {

struct PatternRows {
    static constexpr std::uint16_t dead = 0xffff;
    std::array<std::uint8_t, 256> classes{};  // of bytes that the pattern does not tell apart
    std::size_t class_count = 0;
    std::vector<std::uint16_t> next;  // by state and class; state 0 is the first
    std::vector<bool> accepting;      // by state

    // Whether all bytes beyond ASCII are alike. Then a character beyond ASCII can be taken for any one of
    // them.
    bool ascii() const {
        return std::all_of(classes.begin() + 0x80, classes.end(), [&](auto c) { return c == classes[0x80]; });
    }
};

// Nothing if the pattern needs too many states.
std::optional<PatternRows> pattern_rows(const std::string& pattern);

}  // namespace treaty::generate
