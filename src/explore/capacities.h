// How much room a search gives each channel: the bound if it is small, else a guess that is raised until it
// is enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "explore/configuration.h"

namespace treaty::explore {

class Capacities {
public:
    static constexpr std::uint32_t most = 1 << 16;

    explicit Capacities(const Semantics& semantics)
        : bound_(semantics.system().channels().bound),
          values_(semantics.channels().size(), std::min(bound_.value_or(2), std::uint32_t(8))) {}

    const std::vector<std::uint32_t>& values() const { return values_; }
    // For each channel: its capacity is the real one, a message that does not fit is not sent.
    std::vector<bool> exact() const {
        std::vector<bool> result;
        for (std::uint32_t v : values_) result.push_back(bound_ && v >= *bound_);
        return result;
    }
    // Doubles the room of these channels; false if one has all it can get.
    bool raise(const std::vector<std::size_t>& channels) {
        for (std::size_t c : channels) {
            if (values_[c] >= most) return false;
            values_[c] = std::min(values_[c] * 2, bound_.value_or(most));
        }
        return true;
    }

private:
    std::optional<std::uint32_t> bound_;
    std::vector<std::uint32_t> values_;
};

}  // namespace treaty::explore
