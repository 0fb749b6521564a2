// Random protocols from a seed: the same seed gives the same protocol on every machine.
//
// Three kinds, mixed by the seed: free ones, in which anything may follow anything; announced ones, in which
// the role that decides informs the others, now and then with one announcement left out; and shapes that
// people write (request and response, retry, notify only some, two phases, fan-out), put together at random.
// What the language refuses (a value that a role cannot know, a step that is never reached) is not avoided
// with certainty: read the text and see.
#pragma once

#include <cstdint>

#include "ast.h"

namespace treaty::verdicts {

// splitmix64, since the standard distributions differ between libraries.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
    std::uint64_t next();
    unsigned below(unsigned bound) { return bound == 0 ? 0 : static_cast<unsigned>(next() % bound); }
    bool percent(unsigned chance) { return below(100) < chance; }

private:
    std::uint64_t state_;
};

struct Shape {
    bool data = true;      // values, conditions, `if` and `while`
    bool parallel = true;  // `par`
};

File random_file(std::uint64_t seed, const Shape& shape = {});

}  // namespace treaty::verdicts
