// Making a failing case smaller by making its choices smaller.
//
// The caller replays a list of choices (solve/choices.h) and returns whether the result still fails, giving
// back the choices that were really used. Nothing is ever looked at but choices, so whatever generation
// guarantees (predicates that hold, dependent values that agree) holds for every case that is tried. The
// result is no longer than the start, and smaller at the first difference; it is a local minimum unless
// `most` replays were not enough.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace treaty::solve {

// The choices used, if the case still fails; nothing otherwise.
using Replay = std::function<std::optional<std::vector<std::uint64_t>>(std::span<const std::uint64_t>)>;

struct Shrunk {
    std::vector<std::uint64_t> choices;
    std::size_t replays = 0;
    bool complete = true;  // nothing smaller nearby; false: stopped at the limit
};

Shrunk shrink(std::vector<std::uint64_t> choices, const Replay& replay, std::size_t most = 5000);

// Shorter first, then smaller at the first difference.
bool simpler(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace treaty::solve
