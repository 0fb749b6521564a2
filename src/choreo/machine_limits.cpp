#include "choreo/machine_limits.h"

#include <fmt/format.h>

namespace treaty::choreo {

base::StopReason LimitWatch::ask(std::size_t states, std::size_t bytes) {
    if (states > limits_.states) return base::StopReason::states;
    if (bytes > limits_.bytes) return base::StopReason::memory;
    if (++asked_ % 1024 != 0) return base::StopReason::none;
    return limits_.deadline.reason();
}

std::string describe(base::StopReason why, const MachineLimits& limits) {
    switch (why) {
        case base::StopReason::none: return "nothing";
        case base::StopReason::time: return "time limit";
        case base::StopReason::states: return fmt::format("more than {} states", limits.states);
        case base::StopReason::memory: return fmt::format("more than {} MiB of states", limits.bytes >> 20);
        case base::StopReason::interrupted: return "interrupted";
    }
    return {};
}

}  // namespace treaty::choreo
