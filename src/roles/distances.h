// How far a step leads from a goal: rough distances through a net, by which one of several messages is
// chosen.
//
// The distance of a place is that to the nearest goal along transitions, whatever else these need. It is not
// that of a run, but it never leads round a loop that has a way out. Data is ignored: see end_paths.h. An
// interruption counts as a way only from places that have no other way to the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"
#include "roles/coverage.h"

namespace treaty::roles {

// From the end of the conversation.
class EndDistance {
public:
    explicit EndDistance(const model::Net& net);

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

// From a step of the component that was never seen. Messages that the tester's roles send each other count
// too, since they decide what comes later. Recomputed only when more has been seen.
class UnseenDistance {
public:
    // Both must outlive it. net: of the whole protocol.
    UnseenDistance(const model::Net& net, model::RoleId cut, const Coverage& coverage)
        : net_(net), cut_(cut), coverage_(coverage) {}

    // 0: never seen; otherwise the distance to the nearest step that was not seen; `nothing_left` if none can
    // be reached.
    std::uint32_t of(model::NodeId step);
    static constexpr std::uint32_t nothing_left = UINT32_MAX;

private:
    void recompute();

    const model::Net& net_;
    model::RoleId cut_;
    const Coverage& coverage_;
    std::size_t covered_ = SIZE_MAX;   // what it was computed for
    std::vector<std::uint32_t> from_;  // by place: steps to the nearest transition that was not seen
    absl::flat_hash_map<model::NodeId, std::uint32_t> distance_;
};

}  // namespace treaty::roles
