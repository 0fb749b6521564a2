#include "drive/guide.h"

#include <algorithm>
#include <deque>

namespace treaty::drive {

void Guide::recompute() {
    covered_ = coverage_.covered();
    from_.assign(net_.places().size(), nothing_left);
    distance_.clear();
    std::deque<model::PlaceId> todo;
    auto reach = [&](const model::Transition& t, std::uint32_t steps) {
        for (model::PlaceId p : t.from) {
            if (from_[p.index] <= steps) continue;
            from_[p.index] = steps;
            todo.push_back(p);
        }
    };
    for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
        const model::Transition& t = net_.transitions()[i];
        const model::Event& e = net_.alphabet().event(t.label);
        if (t.silent() || (e.from != cut_ && e.to != cut_) || coverage_.seen(t.node, e.to == cut_)) continue;
        distance_[t.node] = 0;
        reach(t, 1);
    }
    while (!todo.empty()) {
        model::PlaceId at = todo.front();
        todo.pop_front();
        for (model::TransitionId t : net_.producers(at))
            reach(net_.transitions()[t.index], from_[at.index] + 1);
    }
    for (const model::Transition& t : net_.transitions()) {
        if (t.silent()) continue;
        std::uint32_t& nearest = distance_.try_emplace(t.node, nothing_left).first->second;
        for (model::PlaceId p : t.to) nearest = std::min(nearest, from_[p.index]);
    }
}

std::uint32_t Guide::distance(model::NodeId step) {
    if (covered_ != coverage_.covered()) recompute();
    auto known = distance_.find(step);
    return known == distance_.end() ? nothing_left : known->second;
}

}  // namespace treaty::drive
