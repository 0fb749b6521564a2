#include "testgen/endless.h"

#include <algorithm>
#include <deque>

namespace treaty::testgen {

using model::EventKind;
using model::StateId;

std::vector<bool> sends_for_ever(const model::Machine& machine) {
    auto free_edge = [&](const model::Edge& e) {
        EventKind kind = machine.alphabet().event(e.label).kind;
        return kind == EventKind::send || kind == EventKind::silent;
    };
    std::vector<bool> result(machine.state_count(), false);
    for (std::size_t start = 0; start < machine.state_count(); ++start) {
        // seen[2 s + b]: s is reachable, b: with a send on the way.
        std::vector<bool> seen(2 * machine.state_count(), false);
        std::vector<std::size_t> waiting{2 * start};
        while (!waiting.empty() && !result[start]) {
            std::size_t at = waiting.back();
            waiting.pop_back();
            for (const model::Edge& e : machine.out(StateId(at / 2))) {
                if (!free_edge(e)) continue;
                bool sent = at % 2 == 1 || machine.alphabet().event(e.label).kind == EventKind::send;
                std::size_t next = 2 * std::size_t(e.target.index) + (sent ? 1 : 0);
                if (e.target.index == start && sent) result[start] = true;
                if (seen[next]) continue;
                seen[next] = true;
                waiting.push_back(next);
            }
        }
    }
    return result;
}

bool has_cycle(const model::Machine& machine) {
    std::vector<std::uint32_t> incoming(machine.state_count(), 0);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(StateId(s))) ++incoming[e.target.index];
    std::vector<std::size_t> waiting;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (incoming[s] == 0) waiting.push_back(s);
    std::size_t removed = 0;
    for (; !waiting.empty(); ++removed) {
        std::size_t s = waiting.back();
        waiting.pop_back();
        for (const model::Edge& e : machine.out(StateId(s)))
            if (--incoming[e.target.index] == 0) waiting.push_back(e.target.index);
    }
    return removed < machine.state_count();
}

std::vector<model::Edge> sending_cycle(const model::Machine& machine, StateId start) {
    // A place is 2 s + b: the state s, b: with a send on the way.
    std::vector<std::size_t> from(2 * machine.state_count(), SIZE_MAX), edge(from.size(), 0);
    std::size_t first = 2 * std::size_t(start.index), last = first + 1;
    std::deque<std::size_t> waiting{first};
    while (!waiting.empty() && from[last] == SIZE_MAX) {
        std::size_t at = waiting.front();
        waiting.pop_front();
        auto edges = machine.out(StateId(at / 2));
        for (std::size_t e = 0; e < edges.size(); ++e) {
            EventKind kind = machine.alphabet().event(edges[e].label).kind;
            if (kind != EventKind::send && kind != EventKind::silent) continue;
            std::size_t next =
                2 * std::size_t(edges[e].target.index) + (at % 2 == 1 || kind == EventKind::send ? 1 : 0);
            if (from[next] != SIZE_MAX) continue;
            from[next] = at;
            edge[next] = e;
            waiting.push_back(next);
        }
    }
    std::vector<model::Edge> cycle;
    for (std::size_t at = last; from[last] != SIZE_MAX && (at != first || cycle.empty()); at = from[at])
        cycle.push_back(machine.out(StateId(from[at] / 2))[edge[at]]);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

std::vector<std::uint32_t> most_receives(const model::Machine& machine, const explore::Channel& channel) {
    std::vector<std::uint32_t> most(machine.state_count(), 0);
    for (std::size_t round = 0, changed = 1; changed > 0 && round < most.size(); ++round) {
        changed = 0;
        for (std::size_t s = most.size(); s-- > 0;)
            for (const model::Edge& edge : machine.out(model::StateId(s))) {
                const model::Event& event = machine.alphabet().event(edge.label);
                bool counts = event.kind == model::EventKind::receive && event.to == channel.to &&
                              (!channel.from || event.from == channel.from);
                std::uint32_t here = most[edge.target.index] + (counts ? 1 : 0);
                if (here <= most[s]) continue;
                most[s] = here;
                ++changed;
            }
    }
    return most;
}

}  // namespace treaty::testgen
