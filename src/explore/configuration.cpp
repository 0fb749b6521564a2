#include "explore/configuration.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace treaty::explore {

using model::Edge;
using model::Event;
using model::EventKind;
using model::Machine;
using model::Mode;
using model::StateId;

namespace {

bool travels(EventKind kind) {
    return kind == EventKind::send || kind == EventKind::receive;
}

Channel channel_in(Mode mode, Channel parties) {
    return {mode == Mode::mailbox ? model::RoleId() : parties.from, parties.to};
}

}  // namespace

bool Configuration::stable() const {
    return std::all_of(contents.begin(), contents.end(), [](const auto& queue) { return queue.empty(); });
}

Stepping::Stepping(std::vector<const Machine*> machines, model::Channels channels, bool finals_rest)
    : machines_(std::move(machines)),
      mode_(channels.mode),
      bound_(channels.bound),
      finals_rest_(finals_rest) {
    for (const Machine* machine : machines_)
        for (std::size_t s = 0; s < machine->state_count(); ++s)
            for (const Edge& e : machine->out(StateId(s))) {
                const Event& event = machine->alphabet().event(e.label);
                if (e.label.index >= events_.size()) events_.resize(e.label.index + 1);
                events_[e.label.index] = {
                    event.kind, none, {event.from, event.to}, {event.from, event.message}};
                if (mode_ != Mode::sync && travels(event.kind))
                    channels_.push_back(channel_in(mode_, {event.from, event.to}));
            }
    std::sort(channels_.begin(), channels_.end());
    channels_.erase(std::unique(channels_.begin(), channels_.end()), channels_.end());
    for (LabelEvent& event : events_)
        if (mode_ != Mode::sync && travels(event.kind))
            event.channel = static_cast<std::uint32_t>(position_of(event.parties));
}

std::size_t Stepping::position_of(Channel parties) const {
    Channel wanted = channel_in(mode_, parties);
    auto found = std::lower_bound(channels_.begin(), channels_.end(), wanted);
    TREATY_CHECK(found != channels_.end() && *found == wanted);
    return static_cast<std::size_t>(found - channels_.begin());
}

Configuration Stepping::initial() const {
    Configuration c;
    c.states.assign(machines_.size(), StateId(0u));
    c.contents.resize(channels_.size());
    return c;
}

bool Stepping::rests(std::size_t machine, StateId s) const {
    return machines_[machine]->out(s).empty() || (finals_rest_ && machines_[machine]->final(s));
}

bool Stepping::all_rest(const Configuration& c) const {
    for (std::size_t m = 0; m < machines_.size(); ++m)
        if (!rests(m, c.states[m])) return false;
    return true;
}

bool Stepping::enabled(const Configuration& c, const LabelEvent& event) const {
    if (event.kind == EventKind::silent) return true;
    if (event.channel == none) return false;
    const auto& queue = c.contents[event.channel];
    if (event.kind == EventKind::send) return !bound_ || queue.size() < *bound_;
    if (mode_ == Mode::bag) return std::binary_search(queue.begin(), queue.end(), event.parcel);
    return !queue.empty() && queue.front() == event.parcel;
}

void Stepping::sync_moves(const Configuration& c, std::uint32_t machine, std::uint32_t i,
                          std::vector<Move>& out) const {
    const LabelEvent& send = event(edge(c, machine, i));
    for (std::uint32_t other = 0; other < machines_.size(); ++other) {
        if (other == machine) continue;
        auto edges = machines_[other]->out(c.states[other]);
        for (std::uint32_t k = 0; k < edges.size(); ++k) {
            const LabelEvent& answer = event(edges[k]);
            if (answer.kind == EventKind::receive && answer.parties == send.parties &&
                answer.parcel == send.parcel)
                out.push_back({machine, i, other, k});
        }
    }
}

void Stepping::moves(const Configuration& c, std::vector<Move>& out) const {
    out.clear();
    for (std::uint32_t m = 0; m < machines_.size(); ++m) {
        auto edges = machines_[m]->out(c.states[m]);
        for (std::uint32_t i = 0; i < edges.size(); ++i) {
            const LabelEvent& here = event(edges[i]);
            if (mode_ == Mode::sync && here.kind == EventKind::send)
                sync_moves(c, m, i, out);
            else if (enabled(c, here))
                out.push_back({m, i, none, 0});
        }
    }
}

Configuration Stepping::after(const Configuration& c, const Move& move) const {
    Configuration next = c;
    const Edge& taken = edge(c, move.machine, move.edge);
    next.states[move.machine] = taken.target;
    if (move.partner != none) next.states[move.partner] = edge(c, move.partner, move.partner_edge).target;
    const LabelEvent& event = this->event(taken);
    if (event.channel == none) return next;
    auto& queue = next.contents[event.channel];
    bool bag = mode_ == Mode::bag;
    if (event.kind == EventKind::send)
        queue.insert(bag ? std::upper_bound(queue.begin(), queue.end(), event.parcel) : queue.end(),
                     event.parcel);
    else
        queue.erase(bag ? std::lower_bound(queue.begin(), queue.end(), event.parcel) : queue.begin());
    return next;
}

Run Stepping::events(const Configuration& c, const Move& move) const {
    const Edge& own = edge(c, move.machine, move.edge);
    Run run{{own.label, move.machine, own.target}};
    if (move.partner == none) return run;
    const Edge& answer = edge(c, move.partner, move.partner_edge);
    run.push_back({answer.label, move.partner, answer.target});
    return run;
}

model::LabelId Stepping::label(const Configuration& c, const Move& move) const {
    return edge(c, move.machine, move.edge).label;
}

std::vector<Run> Stepping::steps(const Configuration& c) const {
    std::vector<Move> possible;
    moves(c, possible);
    std::vector<Run> all;
    all.reserve(possible.size());
    for (const Move& move : possible) all.push_back(events(c, move));
    return all;
}

std::optional<Configuration> Stepping::after(const Configuration& c, std::span<const Step> step) const {
    std::vector<Move> possible;
    moves(c, possible);
    for (const Move& move : possible) {
        Run run = events(c, move);
        if (std::equal(run.begin(), run.end(), step.begin(), step.end())) return after(c, move);
    }
    return std::nullopt;
}

std::optional<Configuration> Stepping::replay(std::span<const Step> run) const {
    std::optional<Configuration> c = initial();
    while (c && !run.empty()) {
        bool silent = run[0].label.index == 0;
        std::size_t length = mode_ == Mode::sync && !silent ? 2 : 1;
        if (run.size() < length) return std::nullopt;
        c = after(*c, run.first(length));
        run = run.subspan(length);
    }
    return c;
}

namespace {

std::vector<const Machine*> machines_of(const model::System& system) {
    std::vector<const Machine*> machines;
    for (const Machine& machine : system.machines()) machines.push_back(&machine);
    return machines;
}

}  // namespace

Semantics::Semantics(const model::System& system, bool finals_rest)
    : Stepping(machines_of(system), system.channels(), finals_rest), system_(system) {
    find_groups();
}

void Semantics::find_groups() {
    // By roles, not by machines: two senders to a role without a machine share its mailbox.
    std::vector<std::uint32_t> leader(system_.alphabet().role_count());
    std::iota(leader.begin(), leader.end(), 0u);
    auto find = [&](model::RoleId role) {
        std::uint32_t i = role.index;
        while (leader[i] != i) i = leader[i] = leader[leader[i]];
        return i;
    };
    for (const Machine& m : system_.machines())
        for (std::size_t s = 0; s < m.state_count(); ++s)
            for (const Edge& e : m.out(StateId(s))) {
                const Event& event = m.alphabet().event(e.label);
                if (event.kind != EventKind::silent) leader[find(event.from)] = find(event.to);
            }
    std::vector<std::uint32_t> number(leader.size(), UINT32_MAX);
    for (const Machine& m : system_.machines()) {
        std::uint32_t& group = number[find(m.role())];
        if (group == UINT32_MAX) group = group_count_++;
        groups_.push_back(group);
    }
    for (const Channel& channel : channels()) channel_groups_.push_back(number[find(channel.to)]);
}

std::string print(const model::Alphabet& alphabet, std::span<const Step> run) {
    std::string text;
    for (const Step& s : run) {
        if (!text.empty()) text += ", ";
        text += alphabet.print(s.label);
    }
    return text;
}

}  // namespace treaty::explore
