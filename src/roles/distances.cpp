#include "roles/distances.h"

#include <deque>
#include <span>

namespace treaty::roles {

EndDistance::EndDistance(const model::Net& net) : net_(net), distance_(net.places().size(), far) {
    std::deque<model::PlaceId> todo;
    auto reach = [&](std::span<const model::PlaceId> places, std::uint32_t distance) {
        for (model::PlaceId p : places) {
            if (distance_[p.index] != far) continue;
            distance_[p.index] = distance;
            todo.push_back(p);
        }
    };
    auto go_back = [&] {
        while (!todo.empty()) {
            model::PlaceId at = todo.front();
            todo.pop_front();
            for (model::TransitionId t : net.producers(at))
                reach(net.transitions()[t.index].from, distance_[at.index] + 1);
        }
    };
    reach(net.final(), 0);
    go_back();
    for (bool more = true; more;) {
        for (const model::Transition& t : net.transitions()) {
            std::uint32_t left = 0;
            for (model::PlaceId p : t.to) left = std::max(left, distance_[p.index]);
            if (left != far) reach(t.clears, left + 1);
        }
        more = !todo.empty();
        go_back();
    }
    for (const model::Transition& t : net.transitions()) {
        std::uint32_t& farthest = after_[t.node];
        for (model::PlaceId p : t.to) farthest = std::max(farthest, distance_[p.index]);
    }
}

std::uint32_t EndDistance::after(model::NodeId step) const {
    auto known = after_.find(step);
    return known == after_.end() ? far : known->second;
}

void UnseenDistance::recompute() {
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

std::uint32_t UnseenDistance::of(model::NodeId step) {
    if (covered_ != coverage_.covered()) recompute();
    auto known = distance_.find(step);
    return known == distance_.end() ? nothing_left : known->second;
}

}  // namespace treaty::roles
