// Counting the ways. Walk the machine with a set of states that have been reached but not yet looked at. Look
// at the one that comes first in topological order: no other of the set can lead to it, so it is looked at
// once. If it decides, each send gives a set of its own, and the ways add up. If not, all its targets join
// the set. States after which nothing is decided do not matter and are left out, and a state with a single
// such target is replaced by it, so a sequence of choices has sets of one state each and is counted in one
// pass. A set whose states lead to disjoint decisions is a product. Equal sets are counted once.

#include "testgen/split.h"

#include <algorithm>
#include <bit>

#include <absl/container/flat_hash_map.h>

#include "base/check.h"

namespace treaty::testgen {

using model::StateId;

std::vector<std::uint32_t> options_of(const model::Machine& machine, StateId s, Mixed mixed) {
    std::vector<std::uint32_t> sends;
    auto edges = machine.out(s);
    for (std::uint32_t i = 0; i < edges.size(); ++i)
        if (machine.alphabet().event(edges[i].label).kind == model::EventKind::send) sends.push_back(i);
    if (sends.empty()) return sends;
    if (machine.final(s))
        sends.push_back(Fixing::stop);
    else if (mixed == Mixed::also_wait && sends.size() < edges.size())
        sends.push_back(Fixing::wait);
    else if (edges.size() < 2)
        sends.clear();
    return sends;
}

bool may_wait(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (auto options = options_of(machine, StateId(s), Mixed::also_wait);
            !options.empty() && options.back() == Fixing::wait)
            return true;
    return false;
}

class WayCounter {
public:
    WayCounter(const model::Machine& machine, Splitting& into)
        : machine_(machine), into_(into), states_(machine.state_count()) {}

    // False if the machine has a cycle or there are too many different sets.
    bool run() {
        if (!sort()) return false;
        find_next();
        Set whole;
        if (next_[0] != none) whole.push_back(rank_[next_[0]]);
        std::uint32_t last = number(std::move(whole));
        for (std::size_t i = 0; i < sets_.size(); ++i) {
            if (sets_.size() + work_ > Splitting::max_steps) return false;
            expand(static_cast<std::uint32_t>(i));
        }
        finish(last);
        return true;
    }

private:
    using Set = std::vector<std::uint32_t>;  // of ranks, ascending
    static constexpr std::uint32_t none = UINT32_MAX;

    // Ranks every state reachable from the initial one after all that lead to it.
    bool sort() {
        std::vector<std::uint32_t> incoming(states_, 0);
        std::vector<bool> seen(states_, false);
        std::vector<std::uint32_t> waiting{0};
        seen[0] = true;
        while (!waiting.empty()) {
            std::uint32_t s = waiting.back();
            waiting.pop_back();
            for (const model::Edge& edge : machine_.out(StateId(s))) {
                ++incoming[edge.target.index];
                if (seen[edge.target.index]) continue;
                seen[edge.target.index] = true;
                waiting.push_back(edge.target.index);
            }
        }
        rank_.assign(states_, none);
        if (incoming[0] > 0) return false;
        waiting.push_back(0);
        while (!waiting.empty()) {
            std::uint32_t s = waiting.back();
            waiting.pop_back();
            rank_[s] = static_cast<std::uint32_t>(order_.size());
            order_.push_back(s);
            for (const model::Edge& edge : machine_.out(StateId(s)))
                if (--incoming[edge.target.index] == 0) waiting.push_back(edge.target.index);
        }
        return order_.size() == static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
    }

    // next_[s]: the first state at or after s where something is decided or the ways part; none if nowhere.
    void find_next() {
        next_.assign(states_, none);
        for (std::size_t i = order_.size(); i-- > 0;) {
            std::uint32_t s = order_[i];
            if (!into_.options_[s].empty()) {
                next_[s] = s;
                continue;
            }
            std::uint32_t only = none;
            bool several = false;
            for (const model::Edge& edge : machine_.out(StateId(s))) {
                std::uint32_t t = next_[edge.target.index];
                if (t == none) continue;
                several = several || (only != none && only != t);
                only = t;
            }
            next_[s] = several ? s : only;
        }
    }

    bool is_send(const model::Edge& edge) const {
        return machine_.alphabet().event(edge.label).kind == model::EventKind::send;
    }

    void add_target(Set& set, StateId target) const {
        if (next_[target.index] != none) set.push_back(rank_[next_[target.index]]);
    }

    std::uint32_t number(Set set) {
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        auto [place, added] = ids_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
        if (added) {
            sets_.push_back(std::move(set));
            into_.ways_.emplace_back();
        }
        return place->second;
    }

    void expand(std::uint32_t id) {
        if (sets_[id].empty()) return;
        std::vector<Set> parts = components(sets_[id]);
        if (parts.size() > 1) {
            std::vector<std::uint32_t> ids;
            ids.reserve(parts.size());
            for (Set& part : parts) ids.push_back(number(std::move(part)));
            into_.ways_[id].parts = std::move(ids);
            return;
        }
        std::uint32_t first = order_[sets_[id].front()];
        Set rest(sets_[id].begin() + 1, sets_[id].end());
        auto edges = machine_.out(StateId(first));
        if (into_.options_[first].empty()) {
            for (const model::Edge& edge : edges) add_target(rest, edge.target);
            std::uint32_t part = number(std::move(rest));
            into_.ways_[id].parts = {part};
            return;
        }
        into_.ways_[id].state = first;
        for (std::uint32_t send : into_.options_[first]) {
            Set set = rest;
            if (!Fixing::silent(send)) add_target(set, edges[send].target);
            for (const model::Edge& edge : edges)
                if (Fixing::silent(send) && !is_send(edge)) add_target(set, edge.target);
            std::uint32_t part = number(std::move(set));
            into_.ways_[id].sends.push_back(send);
            into_.ways_[id].parts.push_back(part);
        }
    }

    // The set in parts that have no decision in common.
    std::vector<Set> components(const Set& set) {
        std::vector<std::pair<Set, Set>> groups;  // members, decisions
        for (std::uint32_t member : set) {
            Set members{member};
            Set decisions = decisions_from(member);
            for (std::size_t g = 0; g < groups.size();) {
                if (!meet(groups[g].second, decisions)) {
                    ++g;
                    continue;
                }
                members.insert(members.end(), groups[g].first.begin(), groups[g].first.end());
                Set both;
                std::set_union(decisions.begin(), decisions.end(), groups[g].second.begin(),
                               groups[g].second.end(), std::back_inserter(both));
                decisions = std::move(both);
                groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
            }
            groups.emplace_back(std::move(members), std::move(decisions));
            if (set.size() == 1) break;
        }
        std::vector<Set> parts;
        parts.reserve(groups.size());
        for (auto& [members, decisions] : groups) parts.push_back(std::move(members));
        return parts;
    }

    Set decisions_from(std::uint32_t rank) {
        Set found;
        std::vector<bool> seen(order_.size(), false);
        std::vector<std::uint32_t> waiting{rank};
        seen[rank] = true;
        while (!waiting.empty()) {
            std::uint32_t s = order_[waiting.back()];
            if (!into_.options_[s].empty()) found.push_back(waiting.back());
            waiting.pop_back();
            for (const model::Edge& edge : machine_.out(StateId(s))) {
                std::uint32_t t = next_[edge.target.index];
                if (t == none || seen[rank_[t]]) continue;
                seen[rank_[t]] = true;
                waiting.push_back(rank_[t]);
            }
        }
        work_ += found.size() / 64;
        std::sort(found.begin(), found.end());
        return found;
    }

    static bool meet(const Set& a, const Set& b) {
        for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
            if (a[i] == b[j]) return true;
            a[i] < b[j] ? ++i : ++j;
        }
        return false;
    }

    // Counts parts before wholes, and moves the whole to the end.
    void finish(std::uint32_t whole) {
        std::vector<std::uint32_t> waiting{whole};
        std::vector<std::uint8_t> state(sets_.size(), 0);
        std::vector<std::uint32_t> place(sets_.size(), 0);
        std::vector<Splitting::Ways> sorted;
        while (!waiting.empty()) {
            std::uint32_t id = waiting.back();
            Splitting::Ways& ways = into_.ways_[id];
            if (state[id] == 0) {
                state[id] = 1;
                for (std::uint32_t part : ways.parts)
                    if (state[part] == 0) waiting.push_back(part);
                continue;
            }
            waiting.pop_back();
            if (state[id] == 2) continue;
            state[id] = 2;
            bool sum = ways.state != Fixing::free;
            ways.count = sum ? 0u : 1u;
            for (std::uint32_t& part : ways.parts) {
                part = place[part];
                if (sum)
                    ways.count += sorted[part].count;
                else
                    ways.count *= sorted[part].count;
            }
            place[id] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(std::move(ways));
        }
        into_.ways_ = std::move(sorted);
        into_.count_ = into_.ways_.back().count;
    }

    const model::Machine& machine_;
    Splitting& into_;
    std::size_t states_;
    std::vector<std::uint32_t> rank_, order_, next_;
    std::vector<Set> sets_;
    absl::flat_hash_map<Set, std::uint32_t> ids_;
    std::size_t work_ = 0;
};

Splitting::Splitting(const model::Machine& machine, Keep keep, Mixed mixed)
    : keep_(keep), states_(machine.state_count()) {
    options_.resize(states_);
    for (std::size_t s = 0; s < states_; ++s) options_[s] = options_of(machine, StateId(s), mixed);
    if (keep_ == Keep::reachable) {
        counted_ = WayCounter(machine, *this).run();
        return;
    }
    for (const auto& options : options_)
        if (!options.empty()) count_ *= options.size();
}

Fixing Splitting::unrank_all(Count index) const {
    Fixing fixing{std::vector<std::uint32_t>(states_, Fixing::free)};
    for (std::size_t s = states_; s-- > 0;) {
        if (options_[s].empty()) continue;
        Count size = options_[s].size();
        Count digit = index % size;
        fixing.kept[s] = options_[s][digit.get_ui()];
        index /= size;
    }
    return fixing;
}

Fixing Splitting::at(Count index) const {
    TREATY_CHECK(counted_ && index >= 0 && index < count_);
    if (keep_ == Keep::all) return unrank_all(std::move(index));
    Fixing fixing{std::vector<std::uint32_t>(states_, Fixing::free)};
    std::vector<std::pair<std::uint32_t, Count>> waiting;
    waiting.emplace_back(static_cast<std::uint32_t>(ways_.size() - 1), std::move(index));
    while (!waiting.empty()) {
        auto [id, rest] = std::move(waiting.back());
        waiting.pop_back();
        const Ways& ways = ways_[id];
        if (ways.state == Fixing::free) {
            for (std::size_t i = ways.parts.size(); i-- > 0;) {
                const Count& size = ways_[ways.parts[i]].count;
                waiting.emplace_back(ways.parts[i], Count(rest % size));
                rest /= size;
            }
            continue;
        }
        std::size_t i = 0;
        while (rest >= ways_[ways.parts[i]].count) rest -= ways_[ways.parts[i++]].count;
        fixing.kept[ways.state] = ways.sends[i];
        waiting.emplace_back(ways.parts[i], std::move(rest));
    }
    return fixing;
}

SplitMachine apply(const model::Machine& machine, const Fixing& fixing, Keep keep) {
    std::vector<StateId> order, place(machine.state_count());
    auto meet = [&](StateId s) {
        if (place[s.index]) return;
        place[s.index] = StateId(order.size());
        order.push_back(s);
    };
    auto dropped = [&](StateId s, std::size_t i) {
        std::uint32_t kept = fixing.kept[s.index];
        if (Fixing::silent(kept))
            return machine.alphabet().event(machine.out(s)[i].label).kind == model::EventKind::send;
        return kept != Fixing::free && kept != i;
    };
    if (keep == Keep::all)
        for (std::size_t s = 0; s < machine.state_count(); ++s) meet(StateId(s));
    else
        meet(machine.initial());
    for (std::size_t n = 0; n < order.size(); ++n) {
        auto edges = machine.out(order[n]);
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (!dropped(order[n], i)) meet(edges[i].target);
    }
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (StateId s : order) builder.state(machine.final(s), std::to_string(place[s.index].index));
    for (StateId s : order) {
        auto edges = machine.out(s);
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (!dropped(s, i))
                builder.edge(place[s.index], edges[i].label, place[edges[i].target.index],
                             machine.node(s, i));
    }
    std::vector<bool> waits;
    waits.reserve(order.size());
    for (StateId s : order) waits.push_back(fixing.kept[s.index] == Fixing::wait);
    return {builder.finish().value(), std::move(order), std::move(waits)};
}

SplitMachine all_ways(const model::Machine& machine, Mixed mixed) {
    std::vector<StateId> origin;
    std::vector<std::uint32_t> first(machine.state_count() + 1), kept;
    auto put = [&](StateId s, std::uint32_t option) {
        origin.push_back(s);
        kept.push_back(option);
    };
    bool decides_at_once = !options_of(machine, machine.initial()).empty();
    if (decides_at_once) put(machine.initial(), Fixing::free);
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        first[s] = static_cast<std::uint32_t>(origin.size());
        auto options = options_of(machine, StateId(s), mixed);
        for (std::uint32_t option : options) put(StateId(s), option);
        if (options.empty()) put(StateId(s), Fixing::free);
    }
    first.back() = static_cast<std::uint32_t>(origin.size());
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (StateId s : origin) builder.state(machine.final(s));
    auto lead = [&](std::size_t from, model::LabelId label, StateId to, model::NodeId node) {
        for (std::uint32_t t = first[to.index]; t < first[to.index + 1]; ++t)
            builder.edge(StateId(from), label, StateId(t), node);
    };
    if (decides_at_once) lead(0, machine.alphabet().silent(), machine.initial(), {});
    for (std::size_t n = decides_at_once ? 1 : 0; n < origin.size(); ++n) {
        auto edges = machine.out(origin[n]);
        for (std::uint32_t i = 0; i < edges.size(); ++i) {
            bool send = machine.alphabet().event(edges[i].label).kind == model::EventKind::send;
            bool stays = kept[n] == Fixing::free || kept[n] == i || (Fixing::silent(kept[n]) && !send);
            if (stays) lead(n, edges[i].label, edges[i].target, machine.node(origin[n], i));
        }
    }
    std::vector<bool> waits;
    waits.reserve(kept.size());
    for (std::uint32_t option : kept) waits.push_back(option == Fixing::wait);
    return {builder.finish().value(), std::move(origin), std::move(waits)};
}

}  // namespace treaty::testgen
