// How far a search may go, and what it reports meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/limits.h"

namespace treaty::explore {

struct Limits {
    std::uint64_t states = UINT64_MAX;
    std::uint64_t memory = UINT64_MAX;  // bytes of tables; never more than nine tenths of what is free
    base::Deadline time;
};

struct Progress {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t frontier = 0;  // found, not yet expanded
    std::uint32_t depth = 0;
    std::size_t bytes = 0;
    double states_per_second = 0;
};

// Called a few times a second, by one thread.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace treaty::explore
