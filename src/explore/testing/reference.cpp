#include "explore/testing/reference.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace treaty::explore {
namespace {

using model::EventKind;
using model::Mode;
using model::StateId;

// What may still happen from a configuration: a machine moves, a message is received, a group ends.
using Future = std::set<std::tuple<char, std::uint32_t, Parcel>>;

class Reference {
public:
    Reference(const model::System& system, bool finals_rest)
        : semantics_(system, finals_rest), system_(system), mode_(system.channels().mode) {}

    ReferenceReport run(std::size_t limit) {
        report_.finite = search(limit);
        report_.states = configurations_.size();
        if (!report_.finite) return report_;
        compute_futures();
        for (std::size_t i = 0; i < configurations_.size(); ++i) judge(i);
        return report_;
    }

private:
    struct Arc {
        std::size_t target;
        Run step;
    };

    bool search(std::size_t limit) {
        add(semantics_.initial(), 0, 0);
        for (std::size_t i = 0; i < configurations_.size(); ++i) {
            if (configurations_.size() > limit) return false;
            for (Run& step : semantics_.steps(configurations_[i])) {
                ++report_.transitions;
                Configuration next = *semantics_.after(configurations_[i], step);
                auto known = ids_.find(next);
                std::size_t id = known != ids_.end() ? known->second : add(next, i, depths_[i] + 1);
                arcs_[i].push_back({id, std::move(step)});
                if (known == ids_.end() && !system_.channels().bound && covers_ancestor(id)) {
                    report_.covered = true;
                    return false;
                }
            }
        }
        return true;
    }

    std::size_t add(const Configuration& c, std::size_t parent, std::uint32_t depth) {
        ids_.emplace(c, configurations_.size());
        configurations_.push_back(c);
        parents_.push_back(parent);
        depths_.push_back(depth);
        arcs_.emplace_back();
        return configurations_.size() - 1;
    }

    bool covers_ancestor(std::size_t id) const {
        if (mode_ != Mode::bag) return false;
        const Configuration& c = configurations_[id];
        for (std::size_t a = id; a != 0;) {
            a = parents_[a];
            const Configuration& earlier = configurations_[a];
            bool covered = earlier.states == c.states;
            for (std::size_t k = 0; covered && k < c.contents.size(); ++k)
                covered = std::includes(c.contents[k].begin(), c.contents[k].end(),
                                        earlier.contents[k].begin(), earlier.contents[k].end());
            if (covered) return true;
        }
        return false;
    }

    bool group_can_step(std::size_t id, std::uint32_t group) const {
        return std::any_of(arcs_[id].begin(), arcs_[id].end(),
                           [&](const Arc& a) { return semantics_.groups()[a.step[0].machine] == group; });
    }

    void compute_futures() {
        futures_.resize(configurations_.size());
        for (std::size_t i = 0; i < configurations_.size(); ++i) {
            for (std::uint32_t g = 0; g < semantics_.group_count(); ++g)
                if (!group_can_step(i, g)) futures_[i].insert({'e', g, {}});
            for (const Arc& a : arcs_[i])
                for (const Step& s : a.step) {
                    futures_[i].insert({'m', s.machine, {}});
                    const model::Event& event = system_.alphabet().event(s.label);
                    if (event.kind != EventKind::receive || mode_ == Mode::sync) continue;
                    Parcel taken = mode_ == Mode::bag ? Parcel{event.from, event.message} : Parcel{};
                    futures_[i].insert(
                        {'r', static_cast<std::uint32_t>(semantics_.channel_of(event)), taken});
                }
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = configurations_.size(); i-- > 0;)
                for (const Arc& a : arcs_[i]) {
                    std::size_t before = futures_[i].size();
                    futures_[i].insert(futures_[a.target].begin(), futures_[a.target].end());
                    changed |= futures_[i].size() != before;
                }
        }
    }

    void found(UnsafeKind kind, std::size_t id) {
        auto& best = report_.shortest[static_cast<std::size_t>(kind)];
        if (!best || depths_[id] < *best) best = depths_[id];
    }

    void judge(std::size_t id) {
        const Configuration& c = configurations_[id];
        std::vector<bool> all_rest(semantics_.group_count(), true);
        for (std::uint32_t m = 0; m < c.states.size(); ++m)
            if (!semantics_.rests(m, c.states[m])) all_rest[semantics_.groups()[m]] = false;
        for (std::uint32_t m = 0; m < c.states.size(); ++m) {
            if (semantics_.rests(m, c.states[m])) continue;
            std::uint32_t g = semantics_.groups()[m];
            if (!group_can_step(id, g)) found(UnsafeKind::deadlock, id);
            if (!futures_[id].count({'e', g, {}}) && !futures_[id].count({'m', m, {}}))
                found(UnsafeKind::stuck_role, id);
            if (unspecified(c, m)) found(UnsafeKind::unspecified_reception, id);
        }
        for (std::uint32_t k = 0; k < c.contents.size(); ++k) {
            std::uint32_t g = semantics_.channel_groups()[k];
            bool judged = group_can_step(id, g) ? !futures_[id].count({'e', g, {}}) : all_rest[g];
            if (!judged) continue;
            for (std::size_t p = 0; p < c.contents[k].size(); ++p) {
                Parcel taken = mode_ == Mode::bag ? c.contents[k][p] : Parcel{};
                if (!futures_[id].count({'r', k, taken})) found(UnsafeKind::orphan_message, id);
            }
        }
    }

    bool unspecified(const Configuration& c, std::uint32_t m) const {
        if (mode_ != Mode::fifo && mode_ != Mode::mailbox) return false;
        const model::Machine& machine = system_.machines()[m];
        for (const model::Edge& e : machine.out(c.states[m])) {
            const model::Event& event = system_.alphabet().event(e.label);
            if (event.kind != EventKind::receive) return false;
            const auto& queue = c.contents[semantics_.channel_of(event)];
            if (queue.empty() || queue.front() == Parcel{event.from, event.message}) return false;
        }
        return true;
    }

    Semantics semantics_;
    const model::System& system_;
    Mode mode_;
    ReferenceReport report_;
    std::map<Configuration, std::size_t> ids_;
    std::vector<Configuration> configurations_;
    std::vector<std::size_t> parents_;
    std::vector<std::uint32_t> depths_;
    std::vector<std::vector<Arc>> arcs_;
    std::vector<Future> futures_;
};

}  // namespace

ReferenceReport reference_explore(const model::System& system, bool finals_rest, std::size_t limit) {
    return Reference(system, finals_rest).run(limit);
}

}  // namespace treaty::explore
