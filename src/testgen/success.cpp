#include "testgen/success.h"

#include <algorithm>

namespace treaty::testgen {

Success::Success(const explore::Stepping& stepping, std::vector<const std::vector<bool>*> states,
                 const std::optional<std::vector<explore::Channel>>& stable, const Observer* observer)
    : states_(std::move(states)), observer_(observer) {
    auto channels = stepping.channels();
    for (std::size_t c = 0; c < channels.size(); ++c) {
        auto wanted = [&](const explore::Channel& other) {
            return other.to == channels[c].to && (!channels[c].from || other.from == channels[c].from);
        };
        if (!stable || std::any_of(stable->begin(), stable->end(), wanted)) watched_.push_back(c);
    }
}

bool Success::in_states(const explore::Configuration& at) const {
    for (std::size_t i = 0; i < states_.size(); ++i)
        if (!(*states_[i])[at.states[i + 1].index]) return false;
    return true;
}

bool Success::stable(const explore::Configuration& at) const {
    return std::all_of(watched_.begin(), watched_.end(),
                       [&](std::size_t c) { return at.contents[c].empty(); });
}

bool Success::watches(std::size_t channel) const {
    return std::binary_search(watched_.begin(), watched_.end(), channel);
}

}  // namespace treaty::testgen
