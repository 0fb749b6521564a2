#include "explore/exhaustive_bound.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <absl/hash/hash.h>
#include <fmt/format.h>

#include "explore/configuration.h"

namespace treaty::explore {
namespace {

using model::Edge;
using model::Event;
using model::EventKind;
using model::StateId;

bool deterministic(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto out = machine.out(StateId(s));
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (machine.alphabet().event(out[i].label).kind == EventKind::silent) return false;
            if (i > 0 && out[i].label == out[i - 1].label) return false;
        }
    }
    return true;
}

struct HashOfConfiguration {
    std::size_t operator()(const Configuration& c) const {
        std::size_t hash = 0;
        for (StateId state : c.states) hash = absl::HashOf(hash, state.index);
        for (const std::vector<Parcel>& channel : c.contents) {
            hash = absl::HashOf(hash, channel.size());
            for (const Parcel& parcel : channel)
                hash = absl::HashOf(hash, parcel.from.index, parcel.message.index);
        }
        return hash;
    }
};

// The configurations of a system whose channels have one capacity, and the conditions on them.
class BoundedRuns {
public:
    BoundedRuns(const model::System& bounded, std::size_t most)
        : system_(bounded), semantics_(bounded), most_(most) {}

    // Empty if the capacity is enough; else why it is not.
    std::string fault() {
        too_many_ = !explore();
        if (too_many_) return fmt::format("more than {} configurations", most_);
        if (certain_steps_make_room()) return {};
        for (std::size_t c = 0; c < configurations_.size(); ++c)
            for (std::uint32_t m = 0; m < system_.machines().size(); ++m)
                if (std::string why = conflict(*configurations_[c], m); !why.empty()) return why;
        return unfinished_send();
    }

    bool too_many() const { return too_many_; }
    // Events of one machine were taken in another order, too.
    bool reordered() const { return reordered_; }

private:
    struct Move {
        std::uint32_t machine;
        std::uint32_t from;
    };

    bool explore() {
        add(semantics_.initial());
        for (std::size_t c = 0; c < configurations_.size(); ++c) {
            if (configurations_.size() > most_) return false;
            for (const Run& step : semantics_.steps(*configurations_[c])) {
                std::uint32_t target = add(*semantics_.after(*configurations_[c], step));
                back_[target].push_back({step[0].machine, static_cast<std::uint32_t>(c)});
            }
        }
        return true;
    }

    std::uint32_t add(Configuration configuration) {
        auto [known, added] =
            ids_.try_emplace(std::move(configuration), static_cast<std::uint32_t>(ids_.size()));
        if (added) {
            configurations_.push_back(&known->first);  // it stays there
            back_.emplace_back();
        }
        return known->second;
    }

    const Event& event(const Edge& edge) const { return system_.alphabet().event(edge.label); }
    std::span<const Edge> out(const Configuration& c, std::uint32_t machine) const {
        return system_.machines()[machine].out(c.states[machine]);
    }
    const std::vector<Parcel>& contents(const Configuration& c, const Edge& edge) const {
        return c.contents[semantics_.channel_of(event(edge))];
    }
    bool full(const Configuration& c, const Edge& edge) const {
        return contents(c, edge).size() >= *system_.channels().bound;
    }
    bool possible(const Configuration& c, const Edge& edge) const {
        if (event(edge).kind == EventKind::send) return !full(c, edge);
        const auto& waiting = contents(c, edge);
        return !waiting.empty() && waiting.front().message == event(edge).message;
    }

    // `certain`, for every send that finds no room.
    bool certain_steps_make_room() const {
        for (const Configuration* c : configurations_)
            for (std::uint32_t m = 0; m < system_.machines().size(); ++m)
                for (const Edge& edge : out(*c, m))
                    if (event(edge).kind == EventKind::send && full(*c, edge) &&
                        !room_by_certain_steps(*c, m, edge))
                        return false;
        return true;
    }

    // Whether certain steps of other machines make room for the send of `machine`. They are independent of
    // each other, so the order in which they are taken does not matter.
    bool room_by_certain_steps(const Configuration& from, std::uint32_t machine, const Edge& send) const {
        constexpr int many_rounds = 50;  // two machines may keep each other busy for ever
        Configuration now = from;
        bool moved = true;
        for (int round = 0; moved && full(now, send) && round < many_rounds; ++round) {
            moved = false;
            for (std::uint32_t m = 0; m < system_.machines().size(); ++m) {
                const Edge* edge = m == machine ? nullptr : certain_step(now, m);
                if (!edge) continue;
                Step step{edge->label, m, edge->target};
                now = *semantics_.after(now, std::span(&step, 1));
                moved = true;
            }
        }
        return !full(now, send);
    }

    // A step that the machine will do whatever the others do, or a receive that changes nothing else it may
    // do; none if it has none.
    const Edge* certain_step(const Configuration& c, std::uint32_t machine) const {
        auto edges = out(c, machine);
        if (edges.size() == 1 && possible(c, edges[0])) return &edges[0];
        for (const Edge& edge : edges)
            if (event(edge).kind == EventKind::receive && possible(c, edge) &&
                (is_next(c, machine, edge) || is_free(machine, c.states[machine], edge)))
                return &edge;
        return nullptr;
    }

    // Nothing but this receive can come first.
    bool is_next(const Configuration& c, std::uint32_t machine, const Edge& receive) const {
        for (const Edge& other : out(c, machine)) {
            if (event(other).kind == EventKind::send) return false;
            if (event(other).from != event(receive).from && may_come_first(c, machine, other)) return false;
        }
        return true;
    }

    // Whatever else the machine does, the receive stays possible, and taken before or after it leads to the
    // same state: as where parallel segments are interleaved. (What else comes from the same sender comes
    // after it.)
    bool is_free(std::uint32_t machine, StateId from, const Edge& receive) const {
        auto [known, added] = free_.try_emplace({machine, from, receive.label});
        if (!added) {
            reordered_ = reordered_ || known->second;
            return known->second;
        }
        const model::Machine& m = system_.machines()[machine];
        auto target = [&](StateId s, model::LabelId label) -> std::optional<StateId> {
            for (const Edge& edge : m.out(s))
                if (edge.label == label) return edge.target;
            return std::nullopt;
        };
        std::vector<StateId> reached{from};
        for (std::size_t i = 0; i < reached.size(); ++i) {
            auto after = target(reached[i], receive.label);
            if (!after) return false;
            for (const Edge& other : m.out(reached[i])) {
                const Event& e = event(other);
                if (e.kind == EventKind::receive && e.from == event(receive).from) continue;
                auto one = target(*after, other.label), two = target(other.target, receive.label);
                if (!one || !two || *one != *two) return false;
                if (std::find(reached.begin(), reached.end(), other.target) == reached.end())
                    reached.push_back(other.target);
            }
        }
        reordered_ = true;
        return known->second = true;
    }

    // Why the next steps of the machine here may depend on the capacity; empty if they do not.
    std::string conflict(const Configuration& c, std::uint32_t machine) const {
        auto edges = out(c, machine);
        for (const Edge& taken : edges) {
            if (!possible(c, taken)) continue;
            for (const Edge& other : edges) {
                if (taken.label == other.label) continue;
                const Event &a = event(taken), &b = event(other);
                std::string_view role = system_.alphabet().name(system_.machines()[machine].role());
                if (a.kind != b.kind) return fmt::format("{} may send or receive", role);
                if (a.kind == EventKind::send) {
                    if (full(c, other) && !room_by_certain_steps(c, machine, other))
                        return fmt::format("what {} may send depends on the capacity", role);
                } else if (a.from != b.from && may_come_first(c, machine, other)) {
                    return fmt::format("{} may receive from several senders first", role);
                }
            }
        }
        return {};
    }

    // Whether, while `machine` stays where it is, the message of the receive edge may come to the head of its
    // channel over unbounded channels. A `false` is always right: the others are followed without counting
    // messages.
    bool may_come_first(const Configuration& c, std::uint32_t machine, const Edge& receive) const {
        const auto& waiting = contents(c, receive);
        if (!waiting.empty()) return waiting.front().message == event(receive).message;
        return Saturation(*this, c, machine).first_message(event(receive));
    }

    // What the other machines may reach and send while one stays where it is, each message any number of
    // times.
    class Saturation {
    public:
        Saturation(const BoundedRuns& runs, const Configuration& from, std::uint32_t frozen)
            : runs_(runs), frozen_(frozen) {
            for (std::size_t i = 0; i < from.contents.size(); ++i)
                for (const Parcel& parcel : from.contents[i])
                    sent_.insert({parcel.from, runs.semantics_.channels()[i].to, parcel.message});
            reached_.resize(from.states.size());
            for (std::uint32_t m = 0; m < from.states.size(); ++m)
                reached_[m].push_back({from.states[m], true});
            while (grow()) {
            }
        }

        // Whether the sender may send this before anything else on its channel to the frozen machine.
        bool first_message(const Event& wanted) const {
            return first_.contains(std::tuple(wanted.from, wanted.message));
        }

    private:
        struct Reached {
            StateId state;
            bool nothing_sent;  // to the frozen machine
            friend bool operator==(const Reached&, const Reached&) = default;
        };

        bool grow() {
            bool grown = false;
            for (std::uint32_t m = 0; m < reached_.size(); ++m) {
                if (m == frozen_) continue;
                for (std::size_t i = 0; i < reached_[m].size(); ++i)
                    for (const Edge& edge : runs_.system_.machines()[m].out(reached_[m][i].state))
                        grown = take(m, reached_[m][i], edge) || grown;
            }
            return grown;
        }

        bool take(std::uint32_t m, Reached from, const Edge& edge) {
            const Event& e = runs_.event(edge);
            bool grown = false;
            Reached next{edge.target, from.nothing_sent};
            if (e.kind == EventKind::send) {
                grown = sent_.insert({e.from, e.to, e.message}).second;
                if (e.to == runs_.system_.machines()[frozen_].role()) {
                    if (from.nothing_sent) grown = first_.insert({e.from, e.message}).second || grown;
                    next.nothing_sent = false;
                }
            } else if (!sent_.contains({e.from, e.to, e.message})) {
                return false;
            }
            auto& known = reached_[m];
            if (std::find(known.begin(), known.end(), next) != known.end()) return grown;
            known.push_back(next);
            return true;
        }

        const BoundedRuns& runs_;
        std::uint32_t frozen_;
        std::set<std::tuple<model::RoleId, model::RoleId, model::MessageId>> sent_;
        std::set<std::tuple<model::RoleId, model::MessageId>> first_;
        std::vector<std::vector<Reached>> reached_;  // by machine
    };

    // A send that finds no room, whatever the others do; as a reason, or empty.
    std::string unfinished_send() const {
        std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::uint32_t>>
            blocked;  // machine, channel
        for (std::size_t c = 0; c < configurations_.size(); ++c)
            for (std::uint32_t m = 0; m < system_.machines().size(); ++m)
                for (const Edge& edge : out(*configurations_[c], m))
                    if (event(edge).kind == EventKind::send && full(*configurations_[c], edge))
                        blocked[{m, semantics_.channel_of(event(edge))}].push_back(
                            static_cast<std::uint32_t>(c));
        for (const auto& [who, where] : blocked) {
            std::vector<bool> room = finds_room(who.first, who.second);
            for (std::uint32_t c : where)
                if (!room[c]) {
                    const Channel& channel = semantics_.channels()[who.second];
                    return fmt::format("the channel from {} to {} may need any capacity",
                                       system_.alphabet().name(channel.from),
                                       system_.alphabet().name(channel.to));
                }
        }
        return {};
    }

    // By configuration: whether steps of other machines lead to one where the channel is not full.
    std::vector<bool> finds_room(std::uint32_t machine, std::size_t channel) const {
        std::vector<bool> room(configurations_.size());
        std::vector<std::uint32_t> work;
        for (std::uint32_t c = 0; c < configurations_.size(); ++c)
            if (configurations_[c]->contents[channel].size() < *system_.channels().bound) {
                room[c] = true;
                work.push_back(c);
            }
        while (!work.empty()) {
            std::uint32_t c = work.back();
            work.pop_back();
            for (const Move& move : back_[c]) {
                if (move.machine == machine || room[move.from]) continue;
                room[move.from] = true;
                work.push_back(move.from);
            }
        }
        return room;
    }

    const model::System& system_;
    Semantics semantics_;
    std::size_t most_;
    bool too_many_ = false;
    std::unordered_map<Configuration, std::uint32_t, HashOfConfiguration> ids_;
    std::vector<const Configuration*> configurations_;
    std::vector<std::vector<Move>> back_;  // by configuration: the steps that lead to it
    mutable std::map<std::tuple<std::uint32_t, StateId, model::LabelId>, bool> free_;
    mutable bool reordered_ = false;  // a free receive was taken
};

}  // namespace

ExhaustiveBound exhaustive_bound(const model::System& system, std::uint32_t most,
                                 std::size_t max_configurations) {
    if (system.channels().mode != model::Mode::fifo)
        return {std::nullopt, false, "this works only for fifo channels"};
    for (const model::Machine& machine : system.machines())
        if (!deterministic(machine))
            return {std::nullopt, false, fmt::format("{} is not deterministic", machine.name())};
    std::string why;
    for (std::uint32_t bound = 1; bound <= most; ++bound) {
        std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
        auto bounded = model::make_system(system.name(), std::move(machines), {model::Mode::fifo, bound});
        BoundedRuns runs(*bounded, max_configurations);
        why = runs.fault();
        if (why.empty()) return {bound, !runs.reordered(), {}};
        if (runs.too_many()) break;  // a larger capacity has these configurations and more
    }
    return {std::nullopt, false, why};
}

}  // namespace treaty::explore
