#include "solve/choices.h"

#include <algorithm>
#include <bit>

namespace treaty::solve {
namespace {

std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    if (bound == 0) return random();
    // The bias of a remainder is at most one in 2^32 for what is asked here.
    return bound <= 0xffffffffu ? (random() >> 32) * bound >> 32 : random() % bound;
}

}  // namespace

std::uint64_t Choices::decide(std::uint64_t bound, Bias bias) {
    if (bias == Bias::even || lean_ == Lean::even || (bound != 0 && bound <= 8)) return below(random_, bound);
    std::uint64_t last = bound - 1;  // of 2^64: the largest
    if (lean_ == Lean::edges) {
        std::uint64_t near = below(random_, 4);
        return near % 2 == 0 ? near / 2 : last - near / 2;
    }
    switch (below(random_, 10)) {
        case 0:
        case 1:
        case 2:
        case 3: return below(random_, std::min<std::uint64_t>(bound == 0 ? 16 : bound, 16));
        case 4:
            return below(random_, 4) == 0 ? last : last - below(random_, std::min<std::uint64_t>(last, 3));
        case 5:
        case 6: return below(random_, bound);
        default: {
            // As many numbers of each length in bits.
            auto bits = static_cast<unsigned>(std::bit_width(last));
            std::uint64_t n = random_() >> (63 - below(random_, bits));
            return std::min(n, last);
        }
    }
}

std::uint64_t Choices::draw(std::uint64_t bound, Bias bias) {
    if (bound == 1) return 0;  // no choice
    if (!replaying_) return keep(decide(bound, bias));
    std::uint64_t choice = next_ < recorded_.size() ? recorded_[next_++] : 0;
    return keep(bound == 0 ? choice : std::min(choice, bound - 1));
}

bool Choices::flag(unsigned percent) {
    if (replaying_) return draw(2) != 0;
    return keep(below(random_, 100) < percent ? 1 : 0) != 0;
}

std::size_t Choices::pick(std::span<const std::uint32_t> weights) {
    if (replaying_) {
        auto choice = static_cast<std::size_t>(draw(weights.size()));
        while (choice > 0 && weights[choice] == 0) --choice;
        return choice;
    }
    std::uint64_t total = 0;
    for (std::uint32_t w : weights) total += w;
    std::uint64_t at = below(random_, std::max<std::uint64_t>(total, 1));
    std::size_t choice = 0;
    while (choice + 1 < weights.size() && at >= weights[choice]) at -= weights[choice++];
    return static_cast<std::size_t>(keep(choice));
}

}  // namespace treaty::solve
