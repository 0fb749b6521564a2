#include "explore/refine/trail.h"

#include <algorithm>

namespace treaty::explore {

using base::StopReason;

std::vector<std::uint32_t> Trail::way(std::uint32_t to) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t at = to; at != none; at = steps_[at].parent) found.push_back(at);
    std::reverse(found.begin(), found.end());
    return found;
}

std::vector<model::LabelId> Trail::trace(std::uint32_t to) const {
    std::vector<model::LabelId> labels;
    for (std::uint32_t at : way(to))
        if (steps_[at].parent != none && steps_[at].label.index != 0) labels.push_back(steps_[at].label);
    return labels;
}

StopReason limit_reached(const Limits& limits, std::uint64_t found, std::uint64_t bytes) {
    if (found >= limits.states) return StopReason::states;
    if (bytes > limits.memory) return StopReason::memory;
    return limits.time.reason();
}

std::string stop_text(StopReason reason, const std::string& why) {
    return why.empty() ? std::string(base::to_string(reason)) : why;
}

}  // namespace treaty::explore
