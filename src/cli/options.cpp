#include "cli/options.h"

#include <algorithm>
#include <thread>

namespace treaty::cli {

choreo::MachineLimits Options::machine_limits() const {
    choreo::MachineLimits limits;
    if (states) limits.states = *states;
    if (memory) limits.bytes = *memory;
    limits.deadline = deadline;
    return limits;
}

explore::Limits Options::search_limits() const {
    explore::Limits limits;
    if (states) limits.states = *states;
    if (memory) limits.memory = *memory;
    limits.time = deadline;
    return limits;
}

symbolic::GraphLimits Options::graph_limits() const {
    symbolic::GraphLimits limits;
    if (states) limits.states = static_cast<std::size_t>(*states);
    limits.deadline = deadline;
    return limits;
}

symbolic::ConformanceLimits Options::conformance_limits() const {
    symbolic::ConformanceLimits limits;
    if (states) limits.pairs = static_cast<std::size_t>(*states);
    limits.deadline = deadline;
    return limits;
}

unsigned Options::threads() const {
    constexpr std::uint64_t most = 64;
    if (jobs > 0) return static_cast<unsigned>(std::min(jobs, most));
    return std::clamp(std::thread::hardware_concurrency(), 1u, static_cast<unsigned>(most));
}

}  // namespace treaty::cli
