// Which of several messages leads to what was not seen yet: a rough guide through the net of the protocol.
//
// A step of the component that was never seen is itself the goal; of the others, those are better from which
// fewer steps lead to one, whatever else these need. Messages that the tester's roles send each other count
// too, since they decide what comes later. Recomputed only when more has been seen.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "drive/coverage.h"
#include "model/net.h"

namespace treaty::drive {

class Guide {
public:
    // Both must outlive it. net: of the whole protocol.
    Guide(const model::Net& net, model::RoleId cut, const Coverage& coverage)
        : net_(net), cut_(cut), coverage_(coverage) {}

    // 0: never seen; otherwise the distance to the nearest step that was not seen; `nothing_left` if none can
    // be reached.
    std::uint32_t distance(model::NodeId step);
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

}  // namespace treaty::drive
