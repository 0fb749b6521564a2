// How everything that a search has found was first reached, and whether it may go on.
//
// Things are numbered in the order they are found, the first is 0 and has no parent. Cost: 8 bytes a thing.
// Shared by refinement and by the questions about one process, which search in the same way: level by level
// of visible events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "explore/search_limits.h"
#include "model/alphabet.h"

namespace treaty::explore {

class Trail {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    std::uint32_t add(std::uint32_t parent, model::LabelId label) {
        steps_.push_back({parent, label});
        return static_cast<std::uint32_t>(steps_.size() - 1);
    }
    std::size_t size() const { return steps_.size(); }
    void reserve(std::size_t count) { steps_.reserve(count); }
    // First to last, from 0 to the thing itself.
    std::vector<std::uint32_t> way(std::uint32_t to) const;
    // The visible labels on that way.
    std::vector<model::LabelId> trace(std::uint32_t to) const;

private:
    struct Step {
        std::uint32_t parent;
        model::LabelId label;
    };
    std::vector<Step> steps_;
};

// Which limit is reached with so many things found, in so many bytes; none: go on. Asks the clock, so every
// thousand steps is often enough.
base::StopReason limit_reached(const Limits& limits, std::uint64_t found, std::uint64_t bytes);

// What stopped a search: its own words if it has some, else the limit's.
std::string stop_text(base::StopReason reason, const std::string& why);

}  // namespace treaty::explore
