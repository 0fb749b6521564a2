// Markings are sorted lists of places, a place with two tokens twice, kept once each in a hash table. The
// search is breadth-first and remembers how each marking was first reached. A marking that covers one of
// its predecessors, with more tokens on a place that nothing emptied on the way, can be outgrown again in
// the same way for ever: the place is unbounded. Growth shows as a second token on some place sooner or
// later, so only markings with one are compared with their predecessors.
#include "choreo/net_machine.h"

#include <algorithm>

#include <absl/container/node_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"

namespace treaty::choreo {
namespace {

using model::Net;
using model::PlaceId;
using model::Transition;
using model::TransitionId;

using Marking = std::vector<std::uint32_t>;

class MarkingGraph {
public:
    MarkingGraph(const Net& net, const MachineLimits& limits, model::RoleId role)
        : net_(net),
          limits_(limits),
          watch_(limits),
          builder_(std::string(net.name()), net.alphabet_ptr(), role, net.pool()),
          tried_(net.transitions().size(), ~0u) {
        for (PlaceId p : net.final()) final_.push_back(p.index);
    }

    MachineResult run() {
        Marking start;
        for (PlaceId p : net_.initial()) start.push_back(p.index);
        add(std::move(start), 0, {});
        for (std::uint32_t s = 0; s < markings_.size(); ++s) {
            auto stop = watch_.ask(markings_.size(), bytes_);
            if (stop != base::StopReason::none) return MachineResult::stop(stop, describe(stop, limits_));
            fire_all(s);
            if (!unbounded_.empty()) return MachineResult::stop(base::StopReason::none, unbounded_);
        }
        auto machine = builder_.finish();
        TREATY_CHECK(machine.has_value());
        return MachineResult::of(std::move(*machine));
    }

private:
    struct Origin {
        std::uint32_t from;
        TransitionId by;
    };

    void fire_all(std::uint32_t s) {
        for (std::size_t i = 0; i < markings_[s]->size(); ++i) {
            std::uint32_t place = (*markings_[s])[i];
            for (TransitionId id : net_.consumers(PlaceId(place))) {
                if (tried_[id.index] == s) continue;
                tried_[id.index] = s;
                const Transition& t = net_.transitions()[id.index];
                Marking next;
                if (!fire(*markings_[s], t, next)) continue;
                std::uint32_t target = add(std::move(next), s, id);
                builder_.edge(model::StateId(s), t.label, model::StateId(target), t.node,
                              {t.guard, t.data, t.where, t.assignments});
                bytes_ += 48;
            }
        }
    }

    static bool fire(const Marking& m, const Transition& t, Marking& next) {
        auto from = t.from.begin();
        for (std::uint32_t place : m) {
            if (from != t.from.end() && from->index == place) {
                ++from;
                continue;
            }
            if (!std::binary_search(t.clears.begin(), t.clears.end(), PlaceId(place))) next.push_back(place);
        }
        if (from != t.from.end()) return false;
        for (PlaceId p : t.to) next.push_back(p.index);
        std::sort(next.begin(), next.end());
        return true;
    }

    std::uint32_t add(Marking marking, std::uint32_t from, TransitionId by) {
        auto [known, added] =
            ids_.try_emplace(std::move(marking), static_cast<std::uint32_t>(markings_.size()));
        if (!added) return known->second;
        const Marking& m = known->first;
        markings_.push_back(&m);
        origins_.push_back({from, by});
        builder_.state(successful(m));
        bytes_ += 96 + m.size() * sizeof(m[0]);
        if (by && std::adjacent_find(m.begin(), m.end()) != m.end()) check_growth(known->second);
        return known->second;
    }

    bool successful(const Marking& m) const {
        auto want = final_.begin();
        for (std::uint32_t place : m) {
            if (want != final_.end() && *want == place)
                ++want;
            else if (!net_.places()[place].semaphore)
                return false;
        }
        return want == final_.end();
    }

    void check_growth(std::uint32_t s) {
        const Marking& now = *markings_[s];
        std::vector<PlaceId> emptied;  // on the way from the predecessor
        for (std::uint32_t at = s; at != 0;) {
            const Transition& t = net_.transitions()[origins_[at].by.index];
            emptied.insert(emptied.end(), t.clears.begin(), t.clears.end());
            at = origins_[at].from;
            const Marking& before = *markings_[at];
            if (before.size() >= now.size() ||
                !std::includes(now.begin(), now.end(), before.begin(), before.end()))
                continue;
            Marking grown;
            std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                                std::back_inserter(grown));
            for (std::uint32_t place : grown) {
                if (std::find(emptied.begin(), emptied.end(), PlaceId(place)) != emptied.end()) continue;
                unbounded_ = fmt::format(
                    "place {} can hold any number of tokens, so there is no finite machine", place);
                return;
            }
        }
    }

    const Net& net_;
    const MachineLimits& limits_;
    LimitWatch watch_;
    model::MachineBuilder builder_;
    Marking final_;
    absl::node_hash_map<Marking, std::uint32_t> ids_;  // nodes: addresses of keys stay
    std::vector<const Marking*> markings_;
    std::vector<Origin> origins_;
    std::vector<std::uint32_t> tried_;  // by transition: the state it was last tried in
    std::size_t bytes_ = 0;
    std::string unbounded_;
};

}  // namespace

MachineResult net_machine(const Net& net, const MachineLimits& limits, model::RoleId role) {
    return MarkingGraph(net, limits, role).run();
}

}  // namespace treaty::choreo
