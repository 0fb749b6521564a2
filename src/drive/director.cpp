#include "drive/director.h"

#include <algorithm>

namespace treaty::drive {

using model::EventKind;
using model::MessageId;
using model::RoleId;

Director::Director(std::vector<Player> players, RoleId cut) : cut_(cut) {
    for (Player& one : players) {
        model::StateId initial = one.machine.initial();
        players_.push_back({std::move(one), initial});
    }
}

void Director::begin(bool alone) {
    alone_ = alone;
    run_internal_steps();
}

const model::Edge* Director::edge(const At& at, EventKind kind, RoleId from, RoleId to,
                                  MessageId message) const {
    for (const model::Edge& e : at.player.machine.out(at.state)) {
        const model::Event& event = at.player.machine.alphabet().event(e.label);
        if (event.kind == kind && event.from == from && event.to == to && event.message == message) return &e;
    }
    return nullptr;
}

// Something that this machine does without the component: a message to another one, one from a queue, or
// nothing at all.
bool Director::internal_step(At& at) {
    for (const model::Edge& e : at.player.machine.out(at.state)) {
        const model::Event& event = at.player.machine.alphabet().event(e.label);
        if (event.kind == EventKind::receive) {
            auto& queue = queues_[{event.from, event.to}];
            if (queue.empty() || queue.front() != event.message) continue;
            queue.pop_front();
        } else if (event.kind == EventKind::send) {
            if (event.to == cut_ || !alone_) continue;
            queues_[{event.from, event.to}].push_back(event.message);
        }
        at.state = e.target;
        return true;
    }
    return false;
}

// Tests have no loops, so that this ends; a machine from elsewhere gets as many steps as a test has at most.
void Director::run_internal_steps() {
    constexpr int most = 100'000;
    for (int steps = 0; steps < most; ++steps)
        if (std::none_of(players_.begin(), players_.end(), [this](At& at) { return internal_step(at); }))
            return;
}

bool Director::wants(RoleId from, RoleId to, MessageId message) const {
    return std::any_of(players_.begin(), players_.end(), [&](const At& at) {
        return at.player.machine.role() == from && edge(at, EventKind::send, from, to, message);
    });
}

void Director::sent(RoleId from, RoleId to, MessageId message) {
    for (At& at : players_)
        if (at.player.machine.role() == from)
            if (const model::Edge* e = edge(at, EventKind::send, from, to, message)) at.state = e->target;
    if (to != cut_) queues_[{from, to}].push_back(message);
    run_internal_steps();
}

void Director::came(RoleId to, MessageId message) {
    queues_[{cut_, to}].push_back(message);
    run_internal_steps();
}

bool Director::succeeded() const {
    return std::all_of(players_.begin(), players_.end(),
                       [](const At& at) { return at.player.success[at.state.index]; }) &&
           std::all_of(queues_.begin(), queues_.end(),
                       [](const auto& queue) { return queue.second.empty(); });
}

}  // namespace treaty::drive
