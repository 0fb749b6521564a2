// Markings are sorted lists of places with their numbers of tokens, kept once each in a hash table. The
// search is breadth-first and remembers how each marking was first reached. A marking that covers one of its
// predecessors, with more tokens on a place that was not emptied in between, can be outgrown again in the
// same way for ever: the place is unbounded. Growth shows sooner or later as more tokens on some place than
// any place has at the start, so only markings with that many are compared with their predecessors.
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

using model::Tokens;

using Marking = std::vector<Tokens>;

// A bounded place may still hold more than anybody can count, if weights multiply.
constexpr std::uint32_t most_tokens = 1u << 31;

// The tokens of a, and those of b on top. False where a place would hold too many.
bool put(const Marking& a, const Marking& b, Marking& sum) {
    sum.reserve(a.size() + b.size());
    auto i = a.begin(), j = b.begin();
    while (i != a.end() || j != b.end()) {
        if (j == b.end() || (i != a.end() && i->place < j->place)) {
            sum.push_back(*i++);
        } else if (i == a.end() || j->place < i->place) {
            sum.push_back(*j++);
        } else {
            if (i->count > most_tokens - j->count) return false;
            sum.push_back({i->place, i->count + j->count});
            ++i, ++j;
        }
    }
    return true;
}

bool covers(const Marking& large, const Marking& small) {
    auto i = large.begin();
    for (const Tokens& tokens : small) {
        while (i != large.end() && i->place < tokens.place) ++i;
        if (i == large.end() || i->place != tokens.place || i->count < tokens.count) return false;
    }
    return true;
}

std::uint32_t count_on(const Marking& marking, PlaceId place) {
    auto at = std::lower_bound(marking.begin(), marking.end(), place,
                               [](const Tokens& t, PlaceId p) { return t.place < p; });
    return at != marking.end() && at->place == place ? at->count : 0;
}

std::uint32_t most_on_a_place(const Marking& marking) {
    std::uint32_t most = 1;
    for (const Tokens& t : marking) most = std::max(most, t.count);
    return most;
}

class MarkingGraph {
public:
    MarkingGraph(const Net& net, const MachineLimits& limits, model::RoleId role)
        : net_(net),
          limits_(limits),
          watch_(limits),
          builder_(std::string(net.name()), net.alphabet_ptr(), role, net.pool()),
          final_(counted(net.final())),
          tried_(net.transitions().size(), ~0u) {
        for (const Transition& t : net.transitions()) {
            takes_.push_back(counted(t.from));
            puts_.push_back(counted(t.to));
        }
    }

    MachineResult run() {
        Marking start = counted(net_.initial());
        most_at_start_ = most_on_a_place(start);
        add(std::move(start), 0, {});
        for (std::uint32_t s = 0; s < markings_.size(); ++s) {
            auto stop = watch_.ask(markings_.size(), bytes_);
            if (stop != base::StopReason::none) return MachineResult::stop(stop, describe(stop, limits_));
            fire_all(s);
            if (!endless_.empty()) return MachineResult::stop(base::StopReason::none, endless_);
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
            PlaceId place = (*markings_[s])[i].place;
            for (TransitionId id : net_.consumers(place)) {
                if (tried_[id.index] == s) continue;
                tried_[id.index] = s;
                const Transition& t = net_.transitions()[id.index];
                Marking next;
                if (!fire(*markings_[s], id, next)) continue;
                std::uint32_t target = add(std::move(next), s, id);
                builder_.edge(model::StateId(s), t.label, model::StateId(target), t.node,
                              {t.guard, t.data, t.where, t.assignments});
                bytes_ += 48;
            }
        }
    }

    bool fire(const Marking& m, TransitionId id, Marking& next) {
        const Marking& takes = takes_[id.index];
        if (!covers(m, takes)) return false;
        const std::vector<PlaceId>& clears = net_.transitions()[id.index].clears;
        Marking left;
        left.reserve(m.size());
        auto taken = takes.begin();
        for (Tokens tokens : m) {
            if (taken != takes.end() && taken->place == tokens.place) tokens.count -= taken++->count;
            if (tokens.count > 0 && !std::binary_search(clears.begin(), clears.end(), tokens.place))
                left.push_back(tokens);
        }
        if (put(left, puts_[id.index], next)) return true;
        endless_ = fmt::format("a place can hold more than {} tokens", most_tokens);
        return false;
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
        if (by && most_on_a_place(m) > most_at_start_) check_growth(known->second);
        return known->second;
    }

    bool successful(const Marking& m) const {
        auto want = final_.begin();
        for (const Tokens& tokens : m) {
            bool semaphore = net_.places()[tokens.place.index].semaphore;
            if (want != final_.end() && want->place == tokens.place) {
                if (semaphore ? tokens.count < want->count : tokens.count != want->count) return false;
                ++want;
            } else if (!semaphore) {
                return false;
            }
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
            if (!covers(now, before)) continue;
            for (const Tokens& tokens : now) {
                if (tokens.count <= count_on(before, tokens.place)) continue;
                if (std::find(emptied.begin(), emptied.end(), tokens.place) != emptied.end()) continue;
                endless_ =
                    net_.places()[tokens.place.index].semaphore
                        ? "signals can come before their `wait` any number of times, so there is no "
                          "finite machine"
                        : fmt::format("{} can hold any number of tokens, so there is no finite machine",
                                      name_of(tokens.place));
                return;
            }
        }
    }

    std::string name_of(PlaceId place) const {
        const std::string& name = net_.places()[place.index].name;
        return name.empty() ? fmt::format("place {}", place.index) : fmt::format("place `{}`", name);
    }

    const Net& net_;
    const MachineLimits& limits_;
    LimitWatch watch_;
    model::MachineBuilder builder_;
    Marking final_;
    std::vector<Marking> takes_, puts_;                // by transition
    absl::node_hash_map<Marking, std::uint32_t> ids_;  // nodes: addresses of keys stay
    std::vector<const Marking*> markings_;
    std::vector<Origin> origins_;
    std::vector<std::uint32_t> tried_;  // by transition: the state it was last tried in
    std::size_t bytes_ = 0;
    std::uint32_t most_at_start_ = 1;
    std::string endless_;  // why there is no machine
};

}  // namespace

MachineResult net_machine(const Net& net, const MachineLimits& limits, model::RoleId role) {
    return MarkingGraph(net, limits, role).run();
}

}  // namespace treaty::choreo
