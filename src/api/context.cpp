#include "api/context.h"

namespace treaty::api {

choreo::MachineLimits Context::machine_limits() const {
    choreo::MachineLimits limits;
    if (states) limits.states = *states;
    if (memory) limits.bytes = *memory;
    limits.deadline = deadline;
    return limits;
}

explore::Limits Context::search_limits() const {
    explore::Limits limits;
    if (states) limits.states = *states;
    if (memory) limits.memory = *memory;
    limits.time = deadline;
    return limits;
}

symbolic::GraphLimits Context::graph_limits() const {
    symbolic::GraphLimits limits;
    if (states) limits.states = static_cast<std::size_t>(*states);
    limits.deadline = deadline;
    return limits;
}

symbolic::ConformanceLimits Context::conformance_limits() const {
    symbolic::ConformanceLimits limits;
    if (states) limits.pairs = static_cast<std::size_t>(*states);
    limits.deadline = deadline;
    return limits;
}

explore::Limits Context::everyday_limits() const {
    constexpr std::uint64_t default_states = 1'000'000;
    constexpr std::chrono::seconds default_time{20};
    explore::Limits limits = search_limits();
    if (!states) limits.states = default_states;
    if (!time_limited) limits.time = deadline.part_of_work(default_time);
    return limits;
}

}  // namespace treaty::api
