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

bool Configuration::stable() const {
    return std::all_of(contents.begin(), contents.end(), [](const auto& queue) { return queue.empty(); });
}

Semantics::Semantics(const model::System& system, bool finals_rest)
    : system_(system), finals_rest_(finals_rest) {
    if (system.channels().mode != Mode::sync)
        for (const Machine& m : system.machines())
            for (std::size_t s = 0; s < m.state_count(); ++s)
                for (const Edge& e : m.out(StateId(s))) {
                    const Event& event = m.alphabet().event(e.label);
                    if (event.kind == EventKind::silent) continue;
                    bool mailbox = system.channels().mode == Mode::mailbox;
                    channels_.push_back({mailbox ? model::RoleId() : event.from, event.to});
                }
    std::sort(channels_.begin(), channels_.end());
    channels_.erase(std::unique(channels_.begin(), channels_.end()), channels_.end());
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
    for (const Channel& channel : channels_) channel_groups_.push_back(number[find(channel.to)]);
}

std::size_t Semantics::channel_of(const Event& event) const {
    bool mailbox = system_.channels().mode == Mode::mailbox;
    Channel wanted{mailbox ? model::RoleId() : event.from, event.to};
    auto found = std::lower_bound(channels_.begin(), channels_.end(), wanted);
    TREATY_CHECK(found != channels_.end() && *found == wanted);
    return static_cast<std::size_t>(found - channels_.begin());
}

Configuration Semantics::initial() const {
    Configuration c;
    c.states.assign(system_.machines().size(), StateId(0u));
    c.contents.resize(channels_.size());
    return c;
}

bool Semantics::rests(std::size_t machine, StateId s) const {
    const Machine& m = system_.machines()[machine];
    return m.out(s).empty() || (finals_rest_ && m.final(s));
}

bool Semantics::enabled(const Configuration& c, std::uint32_t machine, const Edge& edge) const {
    const Event& event = system_.machines()[machine].alphabet().event(edge.label);
    if (event.kind == EventKind::silent) return true;
    const auto& queue = c.contents[channel_of(event)];
    if (event.kind == EventKind::send)
        return !system_.channels().bound || queue.size() < *system_.channels().bound;
    Parcel wanted{event.from, event.message};
    if (system_.channels().mode == Mode::bag) return std::binary_search(queue.begin(), queue.end(), wanted);
    return !queue.empty() && queue.front() == wanted;
}

std::vector<Run> Semantics::steps(const Configuration& c) const {
    std::vector<Run> all;
    auto machines = system_.machines();
    bool sync = system_.channels().mode == Mode::sync;
    for (std::uint32_t i = 0; i < machines.size(); ++i)
        for (const Edge& e : machines[i].out(c.states[i])) {
            const Event& event = machines[i].alphabet().event(e.label);
            if (!sync || event.kind == EventKind::silent) {
                if (enabled(c, i, e)) all.push_back({Step{e.label, i, e.target}});
                continue;
            }
            auto peer = event.kind == EventKind::send ? system_.machine_of(event.to) : std::nullopt;
            if (!peer || *peer == i) continue;
            Event answer = event;
            answer.kind = EventKind::receive;
            for (const Edge& f : machines[*peer].out(c.states[*peer]))
                if (machines[i].alphabet().event(f.label) == answer)
                    all.push_back({Step{e.label, i, e.target},
                                   Step{f.label, static_cast<std::uint32_t>(*peer), f.target}});
        }
    return all;
}

std::optional<Configuration> Semantics::after(const Configuration& c, std::span<const Step> step) const {
    auto possible = steps(c);
    if (std::none_of(possible.begin(), possible.end(),
                     [&](const Run& r) { return std::equal(r.begin(), r.end(), step.begin(), step.end()); }))
        return std::nullopt;
    Configuration next = c;
    for (const Step& s : step) next.states[s.machine] = s.target;
    const Event& event = system_.alphabet().event(step[0].label);
    if (system_.channels().mode == Mode::sync || event.kind == EventKind::silent) return next;
    auto& queue = next.contents[channel_of(event)];
    Parcel parcel{event.from, event.message};
    bool bag = system_.channels().mode == Mode::bag;
    if (event.kind == EventKind::send) {
        queue.insert(bag ? std::upper_bound(queue.begin(), queue.end(), parcel) : queue.end(), parcel);
    } else {
        queue.erase(bag ? std::lower_bound(queue.begin(), queue.end(), parcel) : queue.begin());
    }
    return next;
}

std::optional<Configuration> Semantics::replay(std::span<const Step> run) const {
    std::optional<Configuration> c = initial();
    bool sync = system_.channels().mode == Mode::sync;
    while (c && !run.empty()) {
        std::size_t length = sync && run[0].label != system_.alphabet().silent() ? 2 : 1;
        if (run.size() < length) return std::nullopt;
        c = after(*c, run.first(length));
        run = run.subspan(length);
    }
    return c;
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
