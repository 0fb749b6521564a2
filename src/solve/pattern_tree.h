// A regular expression as a tree over bytes: what the automata and the generators work on.
//
// RE2's syntax, read as bytes (Latin-1): literals, classes, `.`, groups, alternation, repetition (greedy or
// lazy: the same language), the flags i and s, anchors at the ends. What this reader does not know (word
// boundaries, Unicode classes, anchors in the middle) gives no tree, with the reason; RE2 still reads it.
// On text of ASCII bytes the language is the one RE2 matches in either encoding.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace treaty::solve {

using ByteSet = std::bitset<256>;

enum class PatternKind : std::uint8_t {
    set,     // one byte of a set
    row,     // children one after the other; none: the empty text
    either,  // one of the children
    repeat,  // the child, `low` to `high` times
};

struct PatternNode {
    PatternKind kind = PatternKind::row;
    ByteSet set;
    unsigned char written = 0;  // set: the byte as the pattern writes it, if it writes one
    bool is_written = false;
    std::uint32_t low = 0;
    std::uint32_t high = 0;  // unbounded: no_bound
    bool greedy = true;
    std::vector<std::uint32_t> children;

    static constexpr std::uint32_t no_bound = 0xffffffffu;
};

struct PatternTree {
    std::vector<PatternNode> nodes;  // children before their parents
    std::uint32_t root = 0;

    // The text one would write: the first alternatives, as few repetitions as allowed, letters as written.
    std::string simplest_text() const;
};

// Nothing, with the reason, for what this reader does not know; never throws.
base::Result<PatternTree> read_pattern(std::string_view pattern);

// Bytes from the most to the least readable: letters, digits, signs, the rest. rank 0 is the simplest.
unsigned simplicity(unsigned char byte);
unsigned char nth_simplest(unsigned rank);

}  // namespace treaty::solve
