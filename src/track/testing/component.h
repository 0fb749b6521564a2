// For tests: a correct component simulated with every delay, and the plain way to judge what was observed.
//
// Both run the net as it is: a state is the marking and every message on its way, in both directions. The
// component takes one random step at a time. The judge keeps every state the component could be in, outputs
// that it sent and that have not arrived included: no laziness, no shortcut, no analysis.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "choreo/testing/random_protocol.h"
#include "track/configuration.h"
#include "track/relevance.h"

namespace treaty::track::testing {

using Queue = std::vector<model::LabelId>;
using Queues = std::map<model::RoleId, Queue>;  // by peer, non-empty ones

struct World {
    Marking marking;
    Queues inputs, outputs;
    friend auto operator<=>(const World&, const World&) = default;
};

// Whether silent steps lead from there to something that the role sends.
inline bool leads_to_output(const model::Net& net, const Relevance& relevance,
                            const model::Transition& from) {
    std::set<model::PlaceId> seen(from.to.begin(), from.to.end());
    std::vector<model::PlaceId> work(seen.begin(), seen.end());
    while (!work.empty()) {
        model::PlaceId at = work.back();
        work.pop_back();
        for (model::TransitionId id : net.consumers(at)) {
            const model::Transition& t = net.transitions()[id.index];
            if (relevance.output(t.label)) return true;
            if (!t.silent()) continue;
            for (model::PlaceId p : t.to)
                if (seen.insert(p).second) work.push_back(p);
        }
    }
    return false;
}

class Component {
public:
    Component(const model::Net& net, model::RoleId role) : net_(net), relevance_(net, role) {}

    World start() const { return {initial_marking(net_), {}, {}}; }

    static void push(Queues& queues, model::RoleId peer, model::LabelId label) {
        queues[peer].push_back(label);
    }
    static void pop(Queues& queues, model::RoleId peer) {
        Queue& q = queues[peer];
        q.erase(q.begin());
        if (q.empty()) queues.erase(peer);
    }
    static bool first(const Queues& queues, model::RoleId peer, model::LabelId label) {
        auto q = queues.find(peer);
        return q != queues.end() && q->second.front() == label;
    }

    // What the component may do next on its own.
    std::vector<World> next(const World& w) const {
        std::vector<World> result;
        for (const model::Transition& t : net_.transitions())
            if (enabled(w.marking, t)) add(result, w, t);
        return result;
    }

    // The same for one that does its part: what another role has decided it learns by what it receives, so
    // silent steps that lead to no output are taken only on the way to an input that has come.
    std::vector<World> next_of_its_part(const World& w) const {
        std::vector<World> result;
        for (const model::Transition& t : net_.transitions()) {
            if (!enabled(w.marking, t)) continue;
            if (t.silent() && !leads_to_output(net_, relevance_, t)) continue;
            add(result, w, t);
        }
        for (const World& later : silently(w))
            for (const model::Transition& t : net_.transitions())
                if (enabled(later.marking, t) && relevance_.input(t.label)) add(result, later, t);
        return result;
    }

    std::size_t output_channels() const {
        std::set<model::RoleId> peers;
        for (const model::Transition& t : net_.transitions())
            if (relevance_.output(t.label)) peers.insert(relevance_.peer(t.label));
        return peers.size();
    }
    const Relevance& relevance() const { return relevance_; }

private:
    // What comes of a transition that is enabled; nothing if it is an input that has not come.
    void add(std::vector<World>& to, const World& w, const model::Transition& t) const {
        World after = w;
        after.marking = fired(w.marking, t);
        if (!t.silent()) {
            model::RoleId peer = relevance_.peer(t.label);
            if (relevance_.output(t.label)) {
                push(after.outputs, peer, t.label);
            } else {
                if (!first(w.inputs, peer, t.label)) return;
                pop(after.inputs, peer);
            }
        }
        to.push_back(std::move(after));
    }

    // Where silent steps lead, each place once; without the first one.
    std::vector<World> silently(const World& w) const {
        std::set<World> seen = {w};
        std::vector<World> found, work = {w};
        while (!work.empty()) {
            World at = std::move(work.back());
            work.pop_back();
            for (const model::Transition& t : net_.transitions()) {
                if (!t.silent() || !enabled(at.marking, t)) continue;
                World after{fired(at.marking, t), at.inputs, at.outputs};
                if (!seen.insert(after).second) continue;
                found.push_back(after);
                work.push_back(std::move(after));
            }
        }
        return found;
    }

    const model::Net& net_;
    Relevance relevance_;
};

// A component that cannot know more than it was told: where several places look the same to it, it is in all
// of them, and leaves those that what it does next does not fit. What it decides on its own it decides at
// random.
class PatientComponent {
public:
    PatientComponent(const model::Net& net, model::RoleId role) : net_(net), relevance_(net, role) {
        places_.insert(initial_marking(net));
    }

    void push(model::RoleId peer, model::LabelId label) { inputs_[peer].push_back(label); }

    // One step: what it sends, or nothing; false if there is nothing to do until something comes.
    template <class Random>
    bool step(Random& random, std::optional<model::LabelId>& sent) {
        struct Choice {
            model::LabelId label;      // none: a decision that nobody sees
            std::set<Marking> places;  // after it
            bool input = false;
        };
        std::vector<Choice> choices;
        for (const model::Transition& t : net_.transitions()) {
            bool here =
                std::any_of(places_.begin(), places_.end(), [&](const Marking& m) { return enabled(m, t); });
            if (!here || (t.silent() && !leads_to_output(net_, relevance_, t))) continue;
            if (!t.silent() && !relevance_.output(t.label)) continue;
            Choice choice{t.label, {}, false};
            for (const Marking& m : places_)
                if (t.silent())
                    choice.places.insert(enabled(m, t) ? fired(m, t) : m);
                else
                    take(m, t.label, choice.places);
            choices.push_back(std::move(choice));
        }
        std::set<Marking> told = as_it_is_told();
        for (const auto& [peer, queue] : inputs_) {
            Choice choice{queue.front(), {}, true};
            for (const Marking& m : told) take(m, choice.label, choice.places);
            if (!choice.places.empty()) choices.push_back(std::move(choice));
        }
        if (choices.empty()) return false;
        Choice& chosen = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        places_ = std::move(chosen.places);
        if (chosen.input)
            Component::pop(inputs_, relevance_.peer(chosen.label));
        else if (relevance_.output(chosen.label))
            sent = chosen.label;
        return true;
    }

private:
    void take(const Marking& m, model::LabelId label, std::set<Marking>& to) const {
        for (const model::Transition& t : net_.transitions())
            if (t.label == label && enabled(m, t)) to.insert(fired(m, t));
    }

    // With what other roles may have decided in the meantime.
    std::set<Marking> as_it_is_told() const {
        std::set<Marking> all = places_;
        std::vector<Marking> work(all.begin(), all.end());
        while (!work.empty()) {
            Marking at = std::move(work.back());
            work.pop_back();
            for (const model::Transition& t : net_.transitions())
                if (t.silent() && enabled(at, t))
                    if (auto [place, added] = all.insert(fired(at, t)); added) work.push_back(*place);
        }
        return all;
    }

    const model::Net& net_;
    Relevance relevance_;
    std::set<Marking> places_;
    Queues inputs_;
};

// Judges a whole trace, known in advance, so that only outputs that do arrive are sent.
class Judge {
public:
    Judge(const Component& component, std::vector<model::LabelId> trace)
        : component_(component), trace_(std::move(trace)) {
        worlds_.insert(component.start());
        close();
    }

    std::size_t size() const { return worlds_.size(); }

    // Takes the next event of the trace; false if no state allows it. Inputs are always allowed.
    bool step() {
        model::LabelId label = trace_[position_++];
        const Relevance& relevance = component_.relevance();
        model::RoleId peer = relevance.peer(label);
        std::set<World> after;
        for (World w : worlds_) {
            if (relevance.input(label)) {
                Component::push(w.inputs, peer, label);
            } else {
                if (!Component::first(w.outputs, peer, label)) continue;
                Component::pop(w.outputs, peer);
            }
            after.insert(std::move(w));
        }
        worlds_ = std::move(after);
        close();
        return !worlds_.empty();
    }

private:
    // Outputs on their way must be those that arrive next; with several channels a few more may follow.
    bool fits(const World& w) const {
        Queues rest;
        for (std::size_t i = position_; i < trace_.size(); ++i)
            if (component_.relevance().output(trace_[i]))
                Component::push(rest, component_.relevance().peer(trace_[i]), trace_[i]);
        for (const auto& [peer, queue] : w.outputs) {
            const Queue& want = rest[peer];
            std::size_t both = std::min(queue.size(), want.size());
            if (!std::equal(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(both), queue.begin()))
                return false;
            if (queue.size() > want.size() + (component_.output_channels() < 2 ? 0 : 4)) return false;
        }
        return true;
    }

    void close() {
        std::vector<World> work(worlds_.begin(), worlds_.end());
        while (!work.empty()) {
            World w = std::move(work.back());
            work.pop_back();
            for (World& n : component_.next(w))
                if (fits(n) && worlds_.insert(n).second) work.push_back(std::move(n));
        }
    }

    const Component& component_;
    std::vector<model::LabelId> trace_;
    std::size_t position_ = 0;
    std::set<World> worlds_;
};

}  // namespace treaty::track::testing
