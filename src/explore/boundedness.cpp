#include "explore/boundedness.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace treaty::explore {

using model::Edge;
using model::Event;
using model::EventKind;
using model::Machine;
using model::Mode;
using model::StateId;

namespace {

// The channels sent to (and received from) along a loop of one machine, as often as they are.
struct Loop {
    std::vector<std::size_t> sent, received;
};

class LoopFinder {
public:
    LoopFinder(const Semantics& semantics, const Machine& machine)
        : semantics_(semantics), machine_(machine) {
        std::vector<bool> seen(machine.state_count(), false);
        std::vector<StateId> todo{machine.initial()};
        seen[0] = true;
        while (!todo.empty()) {
            StateId s = todo.back();
            todo.pop_back();
            for (const Edge& e : machine.out(s)) {
                const Event& event = machine.alphabet().event(e.label);
                Arc arc{s.index, e.target.index, 0, 0};
                if (event.kind != EventKind::silent) {
                    arc.sign = event.kind == EventKind::send ? 1 : -1;
                    arc.channel = semantics_.channel_of(event);
                }
                arcs_.push_back(arc);
                if (!seen[e.target.index]) todo.push_back(e.target);
                seen[e.target.index] = true;
            }
        }
    }

    std::size_t cost() const { return machine_.state_count() * arcs_.size(); }

    // A loop that sends more weight than it receives (Bellman and Ford, for longest ways).
    std::optional<Loop> gaining(const std::vector<std::int64_t>& weights) const {
        std::size_t n = machine_.state_count();
        std::vector<std::int64_t> best(n, 0);
        std::vector<std::size_t> into(n, arcs_.size());
        std::size_t changed = n;
        for (std::size_t round = 0; round <= n; ++round) {
            changed = n;
            for (std::size_t i = 0; i < arcs_.size(); ++i) {
                const Arc& a = arcs_[i];
                std::int64_t value = best[a.from] + a.sign * (a.sign ? weights[a.channel] : 0);
                if (value <= best[a.to]) continue;
                best[a.to] = value;
                into[a.to] = i;
                changed = a.to;
            }
            if (changed == n) return std::nullopt;
        }
        // Still rising: going back often enough ends in the loop.
        std::size_t at = changed;
        for (std::size_t i = 0; i < n; ++i) at = arcs_[into[at]].from;
        Loop loop;
        std::size_t start = at;
        do {
            const Arc& a = arcs_[into[at]];
            if (a.sign > 0) loop.sent.push_back(a.channel);
            if (a.sign < 0) loop.received.push_back(a.channel);
            at = a.from;
        } while (at != start);
        return loop;
    }

private:
    struct Arc {
        std::size_t from, to;
        int sign;
        std::size_t channel;
    };
    const Semantics& semantics_;
    const Machine& machine_;
    std::vector<Arc> arcs_;
};

}  // namespace

bool weights_bound(const Semantics& semantics, std::span<const std::uint32_t> machines) {
    constexpr std::size_t most_cost = 20'000'000;
    constexpr int most_rounds = 500;
    constexpr std::int64_t most_weight = 1'000'000;
    std::vector<LoopFinder> finders;
    for (std::uint32_t m : machines) {
        finders.emplace_back(semantics, semantics.system().machines()[m]);
        if (finders.back().cost() > most_cost) return false;
    }
    std::vector<std::int64_t> weights(semantics.channels().size(), 1);
    for (int round = 0; round < most_rounds; ++round) {
        bool gained = false;
        for (const LoopFinder& finder : finders) {
            auto loop = finder.gaining(weights);
            if (!loop) continue;
            gained = true;
            if (loop->received.empty()) return false;
            // What is received must weigh more: the difference, shared among the messages received.
            std::int64_t gain = 0;
            for (std::size_t c : loop->sent) gain += weights[c];
            for (std::size_t c : loop->received) gain -= weights[c];
            auto count = static_cast<std::int64_t>(loop->received.size());
            std::sort(loop->received.begin(), loop->received.end());
            loop->received.erase(std::unique(loop->received.begin(), loop->received.end()),
                                 loop->received.end());
            for (std::size_t c : loop->received) {
                weights[c] += std::max<std::int64_t>(1, (gain + count - 1) / count);
                if (weights[c] > most_weight) return false;
            }
        }
        if (!gained) return true;
    }
    return false;
}

namespace {

using Content = std::vector<Parcel>;

struct Traffic {
    Content sent, received;
};

// Is q s s s ... = r r r ...? Two words with periods |s| and |r| that agree on |s| + |r| letters agree for
// ever.
bool repeats(const Content& q, const Content& s, const Content& r) {
    auto left = [&](std::size_t i) { return i < q.size() ? q[i] : s[(i - q.size()) % s.size()]; };
    for (std::size_t i = 0; i < q.size() + s.size() + r.size(); ++i)
        if (left(i) != r[i % r.size()]) return false;
    return true;
}

// The channel that grows if the steps between the two can be repeated for ever.
std::optional<std::size_t> growing(const Semantics& semantics, const Configuration& from,
                                   const Configuration& to, std::span<const Step> between) {
    std::optional<std::size_t> grown;
    for (std::size_t c = 0; c < from.contents.size(); ++c) {
        if (to.contents[c].size() < from.contents[c].size()) return std::nullopt;
        if (to.contents[c].size() > from.contents[c].size()) grown = c;
    }
    if (!grown) return std::nullopt;
    if (semantics.system().channels().mode == Mode::bag) {
        for (std::size_t c = 0; c < from.contents.size(); ++c)
            if (!std::includes(to.contents[c].begin(), to.contents[c].end(), from.contents[c].begin(),
                               from.contents[c].end()))
                return std::nullopt;
        return grown;
    }
    std::vector<Traffic> traffic(from.contents.size());
    for (const Step& step : between) {
        const Event& event = semantics.system().alphabet().event(step.label);
        if (event.kind == EventKind::silent) continue;
        Traffic& here = traffic[semantics.channel_of(event)];
        (event.kind == EventKind::send ? here.sent : here.received).push_back({event.from, event.message});
    }
    for (std::size_t c = 0; c < traffic.size(); ++c)
        if (!traffic[c].received.empty() && !repeats(from.contents[c], traffic[c].sent, traffic[c].received))
            return std::nullopt;
    return grown;
}

}  // namespace

std::optional<Pump> find_pump(const Semantics& semantics, std::span<const Step> run) {
    std::vector<Configuration> way{semantics.initial()};
    std::map<std::vector<StateId>, std::vector<std::size_t>> by_states;
    by_states[way[0].states].push_back(0);
    for (std::size_t i = 0; i < run.size(); ++i) {
        auto next = semantics.after(way.back(), run.subspan(i, 1));
        TREATY_CHECK(next);
        way.push_back(std::move(*next));
        auto& same = by_states[way.back().states];
        for (auto earlier = same.rbegin(); earlier != same.rend(); ++earlier)
            if (auto c =
                    growing(semantics, way[*earlier], way.back(), run.subspan(*earlier, i + 1 - *earlier)))
                return Pump{*earlier, i + 1, *c};
        same.push_back(i + 1);
    }
    return std::nullopt;
}

}  // namespace treaty::explore
