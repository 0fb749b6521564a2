// Mixing of 64-bit words, for hash-consing and state tables.
//
// mix() is a bijection with full avalanche; hash_bytes() is stable across runs and machines, so it may
// be written to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace treaty::base {

constexpr std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t value) {
    return mix(seed + 0x9e3779b97f4a7c15ull + value);
}

inline std::uint64_t hash_bytes(std::string_view bytes) {
    std::uint64_t h = mix(bytes.size());
    while (bytes.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        h = combine(h, word);
        bytes.remove_prefix(8);
    }
    std::uint64_t tail = 0;
    if (!bytes.empty()) std::memcpy(&tail, bytes.data(), bytes.size());
    return combine(h, tail);
}

}  // namespace treaty::base
