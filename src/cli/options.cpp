#include "cli/options.h"

#include <algorithm>
#include <thread>

namespace treaty::cli {

choreo::MachineLimits Options::machine_limits() const {
    choreo::MachineLimits limits;
    if (states) limits.states = *states;
    if (memory) limits.bytes = *memory;
    if (time) limits.deadline = base::Deadline::after(*time);
    return limits;
}

explore::Limits Options::search_limits() const {
    explore::Limits limits;
    if (states) limits.states = *states;
    if (memory) limits.memory = *memory;
    if (time) limits.time = base::Deadline::after(*time);
    return limits;
}

unsigned Options::threads() const {
    constexpr std::uint64_t most = 64;
    if (jobs > 0) return static_cast<unsigned>(std::min(jobs, most));
    return std::clamp(std::thread::hardware_concurrency(), 1u, static_cast<unsigned>(most));
}

}  // namespace treaty::cli
