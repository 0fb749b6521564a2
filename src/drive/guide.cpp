#include "drive/guide.h"

#include <algorithm>
#include <deque>

namespace treaty::drive {

void Guide::recompute() {
    covered_ = coverage_.covered();
    from_.assign(net_.places().size(), nothing_left);
    fresh_.assign(net_.transitions().size(), false);
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
        fresh_[i] = !t.silent() && !coverage_.seen(t.node, e.kind == model::EventKind::receive);
        if (fresh_[i]) reach(t, 1);
    }
    while (!todo.empty()) {
        model::PlaceId at = todo.front();
        todo.pop_front();
        for (model::TransitionId t : net_.producers(at))
            reach(net_.transitions()[t.index], from_[at.index] + 1);
    }
}

std::uint32_t Guide::distance(model::TransitionId transition) {
    if (covered_ != coverage_.covered()) recompute();
    if (fresh_[transition.index]) return 0;
    std::uint32_t nearest = nothing_left;
    for (model::PlaceId p : net_.transitions()[transition.index].to)
        nearest = std::min(nearest, from_[p.index]);
    return nearest;
}

}  // namespace treaty::drive
