#include "drive/way_to_end.h"

#include <deque>

namespace treaty::drive {

WayToEnd::WayToEnd(const model::Net& net) : net_(net), distance_(net.places().size(), far) {
    std::deque<model::PlaceId> todo;
    for (model::PlaceId p : net.final()) {
        distance_[p.index] = 0;
        todo.push_back(p);
    }
    while (!todo.empty()) {
        model::PlaceId at = todo.front();
        todo.pop_front();
        for (model::TransitionId t : net.producers(at))
            for (model::PlaceId before : net.transitions()[t.index].from) {
                if (distance_[before.index] != far) continue;
                distance_[before.index] = distance_[at.index] + 1;
                todo.push_back(before);
            }
    }
    for (const model::Transition& t : net.transitions()) {
        std::uint32_t& farthest = after_[t.node];
        for (model::PlaceId p : t.to) farthest = std::max(farthest, distance_[p.index]);
    }
}

std::uint32_t WayToEnd::after(model::NodeId step) const {
    auto known = after_.find(step);
    return known == after_.end() ? far : known->second;
}

}  // namespace treaty::drive
