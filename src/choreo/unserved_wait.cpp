#include "choreo/unserved_wait.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "choreo/compile_net.h"
#include "choreo/net_machine.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::NodeId;
using model::NodeKind;
using model::StateId;

// The same net, in which a silent step that changes nothing shows where a `wait` is due.
model::Net with_due_waits_shown(const model::Net& net, const model::Protocol& protocol) {
    model::NetBuilder builder(std::string(net.name()), net.alphabet_ptr(), net.pool());
    for (const model::Place& place : net.places()) builder.place(place.node, place.semaphore, place.name);
    for (const model::Transition& transition : net.transitions()) {
        builder.transition(transition);
        if (!transition.node || protocol[transition.node].kind != NodeKind::wait) continue;
        model::Transition due;
        due.label = transition.label;
        due.node = transition.node;
        for (model::PlaceId place : transition.from)
            if (!net.places()[place.index].semaphore) due.from.push_back(place);
        due.to = due.from;
        builder.transition(std::move(due));
    }
    for (model::PlaceId place : net.initial()) builder.initial(place);
    for (model::PlaceId place : net.final()) builder.final(place);
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

class Search {
public:
    explicit Search(const Machine& machine) : machine_(machine), sources_(machine.state_count()) {
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            for (const model::Edge& edge : machine.out(StateId(s))) sources_[edge.target.index].push_back(s);
    }

    // Breadth first, so the first state found is one of the nearest.
    std::optional<UnservedWait> run(const std::vector<NodeId>& waits) {
        std::vector<bool> may_end = backwards([&](std::size_t s) { return machine_.final(StateId(s)); });
        std::optional<std::size_t> nearest;
        std::vector<std::size_t> distance = distances();
        NodeId which;
        for (NodeId wait : waits) {
            std::vector<bool> served = backwards([&](std::size_t s) { return takes(s, wait); });
            for (std::size_t s = 0; s < machine_.state_count(); ++s) {
                if (may_end[s] || served[s] || !due(s, wait)) continue;
                if (nearest && distance[*nearest] <= distance[s]) continue;
                nearest = s;
                which = wait;
            }
        }
        if (!nearest) return std::nullopt;
        return UnservedWait{path_to(*nearest), which};
    }

private:
    bool due(std::size_t s, NodeId wait) const { return has_edge(s, wait, true); }
    bool takes(std::size_t s, NodeId wait) const { return has_edge(s, wait, false); }

    bool has_edge(std::size_t s, NodeId node, bool back_to_itself) const {
        auto edges = machine_.out(StateId(s));
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (machine_.node(StateId(s), i) == node && (edges[i].target.index == s) == back_to_itself)
                return true;
        return false;
    }

    // Which states can reach one that satisfies the condition.
    template <typename Condition>
    std::vector<bool> backwards(const Condition& condition) const {
        std::vector<bool> result(machine_.state_count());
        std::vector<std::size_t> open;
        for (std::size_t s = 0; s < result.size(); ++s)
            if ((result[s] = condition(s))) open.push_back(s);
        while (!open.empty()) {
            std::size_t s = open.back();
            open.pop_back();
            for (std::size_t source : sources_[s]) {
                if (result[source]) continue;
                result[source] = true;
                open.push_back(source);
            }
        }
        return result;
    }

    // By the number of interactions: silent steps cost nothing.
    std::vector<std::size_t> distances() {
        std::vector<std::size_t> distance(machine_.state_count(), SIZE_MAX);
        origin_.assign(machine_.state_count(), {});
        std::deque<std::size_t> open{machine_.initial().index};
        distance[open.front()] = 0;
        while (!open.empty()) {
            std::size_t s = open.front();
            open.pop_front();
            for (const model::Edge& edge : machine_.out(StateId(s))) {
                bool silent = edge.label.index == 0;
                std::size_t length = distance[s] + (silent ? 0 : 1);
                if (length >= distance[edge.target.index]) continue;
                distance[edge.target.index] = length;
                origin_[edge.target.index] = {s, edge.label};
                silent ? open.push_front(edge.target.index) : open.push_back(edge.target.index);
            }
        }
        return distance;
    }

    std::vector<model::LabelId> path_to(std::size_t s) const {
        std::vector<model::LabelId> run;
        for (; s != machine_.initial().index; s = origin_[s].from)
            if (origin_[s].label.index != 0) run.push_back(origin_[s].label);
        std::reverse(run.begin(), run.end());
        return run;
    }

    struct Origin {
        std::size_t from = 0;
        model::LabelId label;
    };

    const Machine& machine_;
    std::vector<std::vector<std::size_t>> sources_;  // by state
    std::vector<Origin> origin_;                     // by state: how it is reached first
};

std::vector<NodeId> waits_of(const model::Protocol& protocol) {
    std::vector<NodeId> result;
    for (std::size_t i = 0; i < protocol.size(); ++i)
        if (protocol[NodeId(i)].kind == NodeKind::wait) result.emplace_back(i);
    return result;
}

}  // namespace

bool has_waits(const model::Protocol& protocol) {
    return !waits_of(protocol).empty();
}

WaitResult find_unserved_wait(const model::Specification& specification, const model::Protocol& protocol,
                              const MachineLimits& limits) {
    std::vector<NodeId> waits = waits_of(protocol);
    if (waits.empty()) return {};
    auto net = compile_net(specification, protocol);
    if (!net) return {{}, "a jump leaves a parallel branch"};
    MachineResult machine = net_machine(with_due_waits_shown(*net, protocol), limits);
    if (!machine) return {{}, machine.reason};
    return {Search(*machine).run(waits), {}};
}

}  // namespace treaty::choreo
