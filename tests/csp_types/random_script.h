// Random CSPM scripts whose types fit, made from the types down; the same seed gives the same script.
//
// One place can be made wrong. A place is forced if its type follows from where it is, whatever else the
// script says: an operand of `+`, a field of an event, the result of an annotated function. Where a forced
// place gets a value of another kind, the script has a type error.
#pragma once

#include <cstdint>
#include <string>

namespace treaty::csp {

struct RandomScript {
    std::string text;
    std::uint64_t forced = 0;  // how many places are
};

inline constexpr std::uint64_t nowhere = UINT64_MAX;
RandomScript random_script(std::uint64_t seed, std::uint64_t wrong_at = nowhere);

}  // namespace treaty::csp
