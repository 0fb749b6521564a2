// Seeds of the members of a series: the sessions of a campaign, the samples of a message.
//
// Series of different seeds have nothing in common, consecutive seeds included: with seed + number, session i
// of seed s would be session i + 1 of seed s - 1. Every series in Treaty takes its seeds from here.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace treaty::base {

// The seed is spread over 64 bits first, so that two series of n members overlap with a chance of about
// n / 2^63, whatever the two seeds are.
constexpr std::uint64_t seed_of(std::uint64_t seed, std::uint64_t number) {
    return combine(mix(seed + 0x9e3779b97f4a7c15ull), number);
}

}  // namespace treaty::base
