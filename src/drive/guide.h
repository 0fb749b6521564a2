// Which of several messages leads to what was not seen yet: a rough guide through a net.
//
// A transition that was never seen is itself the goal; of the others those are better from which fewer steps
// lead to one, whatever else these need. Recomputed only when more has been seen.
#pragma once

#include <cstdint>
#include <vector>

#include "drive/coverage.h"
#include "model/net.h"

namespace treaty::drive {

class Guide {
public:
    // Both must outlive it.
    Guide(const model::Net& net, const Coverage& coverage) : net_(net), coverage_(coverage) {}

    // 0: never seen; otherwise how far the nearest one is that was not; `nothing_left` if there is none on
    // this way.
    std::uint32_t distance(model::TransitionId transition);
    static constexpr std::uint32_t nothing_left = UINT32_MAX;

private:
    void recompute();

    const model::Net& net_;
    const Coverage& coverage_;
    std::size_t covered_ = SIZE_MAX;   // what it was computed for
    std::vector<std::uint32_t> from_;  // by place: steps to the nearest transition that was not seen
    std::vector<bool> fresh_;          // by transition: never seen
};

}  // namespace treaty::drive
