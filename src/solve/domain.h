// What values a variable may still have: narrowed by constraints, then drawn from.
//
// A domain holds at least every value that satisfies the constraints it was narrowed by, often exactly those;
// so an empty one is a proof, and what is drawn is still checked by the caller. Values are drawn in the
// order of simplicity: numbers from the one nearest to zero, texts from the shortest, lists from the
// shortest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "solve/automaton.h"
#include "solve/choices.h"

namespace treaty::solve {

struct Interval {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

struct Domain {
    expr::TypeId type;
    expr::TypeKind kind = expr::TypeKind::unknown;
    bool impossible = false;
    std::string how = "any";  // the strategy, for people: range, member, pattern, ...

    std::optional<std::vector<expr::Value>> options;  // nothing else than these
    std::vector<Interval> intervals;                  // integer, boolean, enumeration: apart, ascending
    double real_low = 0, real_high = 0;               // real
    bool low_open = false, high_open = false;
    std::shared_ptr<const Automaton> texts;  // string, bytes; null: all
    // Whether `texts` holds all texts that fit: patterns on strings are read in UTF-8, the automata are made
    // of bytes, and both agree on ASCII only.
    bool texts_exact = true, texts_ascii = false;
    std::vector<expr::Value> excluded;  // string, bytes: not these, beside what `texts` says; ascending
    std::int64_t size_low = 0;          // string, bytes, list, set, map
    std::int64_t size_high = INT64_MAX;
    std::vector<expr::Value> required;                       // list, set: must be elements
    std::optional<expr::Value> permutes;                     // list: an order of this one
    std::int64_t sum_low = INT64_MIN, sum_high = INT64_MAX;  // list of integers
    std::vector<Domain> items;  // list: its first ones, where they have domains of their own
    std::vector<Domain> parts;  // list, set, optional: its element; map: its entry; record: its fields
    bool may_be_none = true, may_be_some = true;  // optional

    static Domain of(const expr::Types& types, expr::TypeId type);

    // Narrowing; each keeps every value that fits.
    void keep_range(std::int64_t low, std::int64_t high);
    void keep_size(std::int64_t low, std::int64_t high);
    void keep_sum(std::int64_t low, std::int64_t high);
    // The domain of the element at this place of a list, which must be there; nothing for distant positions.
    Domain* item(std::int64_t place);
    void keep_real(double low, bool open_low, double high, bool open_high);
    void remove(std::int64_t value);
    void keep_options(std::vector<expr::Value> values, const expr::Types& types);
    // exact: the language is one of bytes, whatever they encode.
    void keep_texts(const Automaton& language, bool exact);
    // One text less. Costs next to nothing, where an automaton without it costs more than drawing a text.
    void exclude(expr::Value text);
    bool excludes(const expr::Value& value) const;

    // Whether a value of the domain's type may be in it, as far as that is seen at once.
    bool may_hold(const expr::Value& value) const;
    bool empty() const;
    // All values, each once; nothing if there are more than `most`, or if telling so takes too much work.
    std::optional<std::vector<expr::Value>> all(std::uint64_t most) const;
};

// What a number of an interval stands for: itself, a truth value, a member.
expr::Value number_value(expr::TypeKind kind, std::int64_t n);
// The order of simplicity: nearer to zero, of two equally near the positive one.
bool simpler_number(std::int64_t a, std::int64_t b);

// Which bytes lead on from the states of automata, worked out once for all draws. Not safe for concurrent
// use.
class TextPaths {
public:
    struct Path {
        std::uint32_t distance;  // to an end after it
        unsigned rank;
        unsigned char byte;
    };
    // The bytes that lead on from this state, the simplest path to an end first. Valid until the next call.
    const std::vector<Path>& from(const std::shared_ptr<const Automaton>& texts, Automaton::State state,
                                  unsigned bytes);

private:
    static constexpr std::size_t most = 64;  // automata
    struct Known {
        std::shared_ptr<const Automaton> texts;  // so that its address stays its own
        std::vector<std::vector<Path>> by_state[2];
    };
    absl::flat_hash_map<const Automaton*, Known> known_;
};

struct DrawOptions {
    std::int64_t longest = 16;   // of texts and lists that might be longer
    TextPaths* paths = nullptr;  // null: worked out anew
};

// Nothing if the domain is empty, or if a bounded search for a text of the right length got stuck.
std::optional<expr::Value> draw(const Domain& domain, const expr::Types& types, Choices& choices,
                                const DrawOptions& options);

}  // namespace treaty::solve
