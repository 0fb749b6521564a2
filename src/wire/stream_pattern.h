// A pattern inside a layout of bytes: where its text ends is not marked by a length, so the text goes as far
// as the pattern can, and the first byte that the pattern cannot go on with ends it.
//
// Matching is one walk through an automaton, so it never goes back: a text is refused if the pattern is not
// satisfied where it ends. Patterns are read as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "solve/automaton.h"
#include "solve/choices.h"

namespace treaty::wire {

// Why a pattern cannot be used inside a layout of bytes; empty if it can.
std::string stream_pattern_fault(const std::string& pattern);

class StreamPattern {
public:
    // A fault if its automaton would be too large.
    static base::Result<StreamPattern> make(const std::string& pattern);

    struct Match {
        enum class Kind : std::uint8_t { text, more, fault } kind;
        std::size_t at;  // where the text ends, or the first byte that does not fit
    };
    // The text at the front. last: no byte follows.
    Match match(std::string_view bytes, bool last) const;

    bool matches(std::string_view text) const { return automaton_.matches(text); }
    const std::string& simplest() const { return simplest_; }
    std::size_t digits() const { return digits_; }  // all texts have this length; 0: they differ
    std::string draw(solve::Choices& choices) const;

private:
    explicit StreamPattern(solve::Automaton automaton);

    solve::Automaton automaton_;
    std::vector<bool> last_;  // by state: no byte goes on from here
    std::string simplest_;
    std::size_t digits_ = 0;
};

}  // namespace treaty::wire
