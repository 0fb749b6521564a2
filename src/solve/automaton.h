// Languages of byte strings as deterministic automata: built from patterns, joined, complemented, walked.
//
// Complete and without states that lead nowhere except one dead state. A state may accept for several tags,
// so one automaton can tell which of many patterns match. Matching costs a table look-up a byte. Building
// stops at max_states and then gives nothing: the caller reports it or does without. Immutable, so safe
// to share between threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solve/pattern_tree.h"

namespace treaty::solve {

class Automaton {
public:
    using State = std::uint32_t;
    static constexpr std::size_t default_states = 4000;
    static constexpr std::uint32_t never = 0xffffffffu;

    // One tag a tree, in order.
    static std::optional<Automaton> of(std::span<const PatternTree> trees,
                                       std::size_t max_states = default_states);
    static std::optional<Automaton> of(std::string_view pattern, std::size_t max_states = default_states);
    static Automaton all_of(const ByteSet& letters);  // every text over these bytes
    static Automaton exactly(std::string_view text);
    static Automaton containing(std::string_view text);
    // Every text that comes before this one, byte by byte; also itself, if wanted.
    static Automaton before(std::string_view text, bool itself);

    // Texts in both; tags are lost.
    std::optional<Automaton> both(const Automaton& other, std::size_t max_states = default_states) const;
    Automaton complement() const;
    // Texts that are accepted once each byte is replaced.
    Automaton replaced(const std::array<unsigned char, 256>& by) const;

    State initial() const { return initial_; }
    State next(State s, unsigned char byte) const { return next_[s * class_count_ + classes_[byte]]; }
    bool accepts(State s) const { return accepting_[s]; }
    std::span<const std::uint32_t> tags(State s) const { return tags_[s]; }
    // How many bytes more until a text is accepted, at best; `never` from the dead state.
    std::uint32_t distance(State s) const { return distance_[s]; }
    std::size_t state_count() const { return accepting_.size(); }

    bool matches(std::string_view text) const;
    bool empty() const { return distance_[initial_] == never; }
    // A shortest text that is accepted, of these the simplest letter by letter.
    std::optional<std::string> shortest() const;
    // Whether no accepted text is the beginning of another one.
    bool prefix_free() const;

private:
    void finish();  // distances

    State initial_ = 0;
    std::uint32_t class_count_ = 1;
    std::array<std::uint8_t, 256> classes_{};
    std::vector<State> next_;
    std::vector<bool> accepting_;
    std::vector<std::vector<std::uint32_t>> tags_;
    std::vector<std::uint32_t> distance_;
};

}  // namespace treaty::solve
