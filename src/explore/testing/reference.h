// The slow, obviously right second way: what explore() must answer, for systems of a few thousand
// configurations.
//
// Straight from the definitions of safety.h: every configuration in a std::map, every edge kept, what can
// still happen computed by repeating until nothing changes. Tests compare explore() with it on random
// systems. Without a bound it gives up (finite is false) beyond `limit` configurations, or at the first one
// on whose breadth-first path an earlier one had the same states and in every channel a part of its messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "explore/safety.h"

namespace treaty::explore {

struct ReferenceReport {
    bool finite = false;
    std::size_t states = 0;
    std::size_t transitions = 0;
    // For each UnsafeKind but unbounded_channel: the least number of steps that shows it.
    std::array<std::optional<std::uint32_t>, 4> shortest;
    bool covered = false;  // stopped at a configuration that covers an earlier one: in a bag, unbounded
};

ReferenceReport reference_explore(const model::System& system, bool finals_rest = true,
                                  std::size_t limit = 20000);

}  // namespace treaty::explore
