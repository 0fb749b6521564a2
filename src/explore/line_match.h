// Looks for a packed state in one cache line of slots: eight states of one word, four of two, one of more.
//
// Slots of a line are filled from the front and never emptied; an empty one has word 0 equal to 0. While
// others fill the line its slots may be read at different times, so a taken slot can be seen after an empty
// one: only slots before the first empty one count, because these do not change any more.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "explore/space.h"

namespace treaty::explore {

template <int W>
inline constexpr std::uint32_t line_slots = W == 1   ? 8
                                            : W == 2 ? 4
                                                     : 1;

struct LineMatch {
    std::uint32_t same;  // a bit for each slot that holds the key
    std::uint32_t used;  // how many slots are taken before the first empty one
};

template <int W>
inline LineMatch match_line(const State<W>* line, const State<W>& key) {
#if defined(__AVX512F__)
    if constexpr (W <= 2) {
        __m512i slots = _mm512_loadu_si512(line);
        if constexpr (W == 1) {
            __m512i wanted = _mm512_set1_epi64(static_cast<long long>(key[0]));
            return {
                _mm512_cmpeq_epi64_mask(slots, wanted),
                static_cast<std::uint32_t>(std::countr_one(unsigned(_mm512_test_epi64_mask(slots, slots))))};
        } else {
            auto a = static_cast<long long>(key[0]), b = static_cast<long long>(key[1]);
            __m512i wanted = _mm512_set_epi64(b, a, b, a, b, a, b, a);
            std::uint32_t words = _mm512_cmpeq_epi64_mask(slots, wanted), both = words & (words >> 1) & 0x55;
            std::uint32_t firsts = _mm512_test_epi64_mask(slots, slots) & 0x55u;
            // Bits 0, 2, 4, 6 become 0, 1, 2, 3.
            both = (both | both >> 1) & 0x33;
            return {(both | both >> 2) & 0x0f,
                    static_cast<std::uint32_t>(std::countr_one(firsts | 0xaau)) / 2};
        }
    }
#endif
    LineMatch match{0, 0};
    std::uint32_t taken = 0;
    for (std::uint32_t i = 0; i < line_slots<W>; ++i) {
        // Read once: a slot that is filled between two looks would be neither the key's nor empty.
        std::uint64_t first = __atomic_load_n(&line[i][0], __ATOMIC_RELAXED);
        std::uint64_t difference = first ^ key[0];
        for (std::size_t w = 1; w < W; ++w) difference |= line[i][w] ^ key[w];
        match.same |= static_cast<std::uint32_t>(difference == 0) << i;
        taken |= static_cast<std::uint32_t>(first != 0) << i;
    }
    match.used = static_cast<std::uint32_t>(std::countr_one(taken));
    return match;
}

}  // namespace treaty::explore
