// Which of several messages brings a conversation nearer to its end: a rough guide through a net.
//
// The distance of a place from the end is that to the nearest final place along transitions, whatever else
// they need. It is not the shortest way, but it never leads round a loop that has a way out. Data is ignored:
// see end_ways.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"

namespace treaty::drive {

class WayToEnd {
public:
    explicit WayToEnd(const model::Net& net);

    // The distance from the end after this step of the protocol.
    std::uint32_t after(model::NodeId step) const;

    // Whether no end can be reached from these places, sorted.
    bool endless(const std::vector<std::uint32_t>& marking) const {
        return std::any_of(marking.begin(), marking.end(), [this](std::uint32_t place) {
            return distance_[place] == far && !net_.places()[place].semaphore;
        });
    }

    // The largest distance of these places from the end.
    std::uint32_t from(const std::vector<std::uint32_t>& marking) const {
        std::uint32_t farthest = 0;
        for (std::uint32_t place : marking)
            if (!net_.places()[place].semaphore) farthest = std::max(farthest, distance_[place]);
        return farthest;
    }

    // The first of those (each has a `node`) with the smallest distance after it.
    template <class Possible>
    std::size_t nearest(const std::vector<Possible>& choices) const {
        auto less = [this](const Possible& a, const Possible& b) { return after(a.node) < after(b.node); };
        return static_cast<std::size_t>(std::min_element(choices.begin(), choices.end(), less) -
                                        choices.begin());
    }

private:
    static constexpr std::uint32_t far = UINT32_MAX / 2;
    const model::Net& net_;
    std::vector<std::uint32_t> distance_;  // by place
    absl::flat_hash_map<model::NodeId, std::uint32_t> after_;
};

}  // namespace treaty::drive
