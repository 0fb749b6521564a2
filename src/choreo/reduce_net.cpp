// Every rule looks at one silent step t and removes it together with one place.
//
//   forward   t is the only transition from its place p: a token on p is as good as tokens after t, so what
//             puts a token on p puts them after t at once.
//   backward  t, from p, is the only way to its place q: what may happen at q may happen at p.
//   join      t waits for several places and is the only way to q, and q has few consumers, as where a choice
//             follows parallel segments: each of them waits itself. If nothing follows q and q is
//             final, the places t waits for are final instead.
//
// Each needs that an interrupt which empties one of the places empties all of them, so that no token
// survives, or is lost, by being elsewhere; and that no transition then has a place twice that it had once.
// Semaphores carry tokens in the same way, but are never merged. A step that carries a guard, an assignment
// or an interrupt stays as it is. Counts of neighbours count tokens: an arc of weight 2 counts as two, so
// that it is never the only one.
//
// Merging places is a union-find; lists of neighbours are merged small into large, so the whole is near
// linear. The lists may hold dead transitions, which are skipped.
#include "choreo/reduce_net.h"

#include <algorithm>
#include <deque>

#include <absl/container/flat_hash_map.h>

#include "base/check.h"

namespace treaty::choreo {
namespace {

using model::Net;
using model::PlaceId;
using model::Transition;

using Index = std::uint32_t;

class Reducer {
public:
    explicit Reducer(const Net& net)
        : net_(net), transitions_(net.transitions().begin(), net.transitions().end()) {
        std::size_t n = net.places().size();
        alive_.assign(transitions_.size(), true);
        parent_.resize(n);
        for (Index p = 0; p < n; ++p) parent_[p] = p;
        producers_.resize(n);
        consumers_.resize(n);
        producer_count_.assign(n, 0);
        consumer_count_.assign(n, 0);
        initial_.assign(n, 0);
        final_.assign(n, 0);
        semaphore_.resize(n);
        for (Index p = 0; p < n; ++p) semaphore_[p] = net.places()[p].semaphore;
        for (PlaceId p : net.initial()) ++initial_[p.index];
        for (PlaceId p : net.final()) ++final_[p.index];
        for (Index t = 0; t < transitions_.size(); ++t) attach(t);
        find_clear_classes();
    }

    Net run() {
        for (Index t = 0; t < transitions_.size(); ++t)
            if (transitions_[t].silent()) queue_.push_back(t);
        queued_.assign(transitions_.size(), true);
        while (!queue_.empty()) {
            Index t = queue_.front();
            queue_.pop_front();
            queued_[t] = false;
            if (alive_[t]) reduce(t);
        }
        return rebuild();
    }

private:
    Index find(Index p) {
        while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
        return p;
    }

    // The places of a list, after merging.
    std::vector<PlaceId>& resolve(std::vector<PlaceId>& list) {
        bool changed = false;
        for (PlaceId& p : list) {
            Index now = find(p.index);
            changed = changed || now != p.index;
            p = PlaceId(now);
        }
        if (changed) std::sort(list.begin(), list.end());
        return list;
    }
    const std::vector<PlaceId>& from(Index t) { return resolve(transitions_[t].from); }
    const std::vector<PlaceId>& to(Index t) { return resolve(transitions_[t].to); }

    static bool has(const std::vector<PlaceId>& list, Index p) {
        return std::binary_search(list.begin(), list.end(), PlaceId(p));
    }

    void attach(Index t) {
        for (PlaceId p : from(t)) consumers_[p.index].push_back(t), ++consumer_count_[p.index];
        for (PlaceId p : to(t)) producers_[p.index].push_back(t), ++producer_count_[p.index];
    }

    void kill(Index t) {
        alive_[t] = false;
        for (PlaceId p : from(t)) --consumer_count_[p.index];
        for (PlaceId p : to(t)) --producer_count_[p.index];
        for (PlaceId p : from(t)) wake(p.index);
        for (PlaceId p : to(t)) wake(p.index);
    }

    // Something about place p changed: silent steps next to it may be removable now. A crowded place is left
    // alone, so that it is not looked through again and again; its neighbours wake it from their own side.
    void wake(Index p) {
        constexpr std::size_t crowd = 16;
        for (auto* list : {&producers_[p], &consumers_[p]}) {
            if (list->size() > crowd) continue;
            for (Index t : *list)
                if (alive_[t] && transitions_[t].silent() && !queued_[t]) {
                    queued_[t] = true;
                    queue_.push_back(t);
                }
        }
    }

    void find_clear_classes() {
        std::vector<std::vector<Index>> cleared_by(parent_.size());
        for (Index t = 0; t < transitions_.size(); ++t)
            for (PlaceId p : transitions_[t].clears) cleared_by[p.index].push_back(t);
        absl::flat_hash_map<std::vector<Index>, Index> classes;
        clear_class_.resize(parent_.size());
        for (std::size_t p = 0; p < cleared_by.size(); ++p)
            clear_class_[p] =
                classes.try_emplace(std::move(cleared_by[p]), static_cast<Index>(classes.size()))
                    .first->second;
    }

    bool same_class(Index p, const std::vector<PlaceId>& others) const {
        return std::all_of(others.begin(), others.end(),
                           [&](PlaceId q) { return clear_class_[q.index] == clear_class_[p]; });
    }

    Index only(const std::vector<Index>& list) const {
        for (Index t : list)
            if (alive_[t]) return t;
        TREATY_CHECK(false);
        return 0;
    }

    std::vector<Index> living(const std::vector<Index>& list) const {
        std::vector<Index> result;
        for (Index t : list)
            if (alive_[t] && std::find(result.begin(), result.end(), t) == result.end()) result.push_back(t);
        return result;
    }

    // Whether some living transition of a's list also has b there.
    bool overlap(std::vector<std::vector<Index>>& lists, Index a, Index b, bool targets) {
        if (lists[a].size() > lists[b].size()) std::swap(a, b);
        for (Index t : lists[a])
            if (alive_[t] && has(targets ? to(t) : from(t), b)) return true;
        return false;
    }

    // Two places become one. The step between them is dead already.
    void merge(Index a, Index b) {
        Index keep =
            producers_[a].size() + consumers_[a].size() >= producers_[b].size() + consumers_[b].size() ? a
                                                                                                       : b;
        Index gone = keep == a ? b : a;
        parent_[gone] = keep;
        producers_[keep].insert(producers_[keep].end(), producers_[gone].begin(), producers_[gone].end());
        consumers_[keep].insert(consumers_[keep].end(), consumers_[gone].begin(), consumers_[gone].end());
        producers_[gone] = {};
        consumers_[gone] = {};
        producer_count_[keep] += producer_count_[gone];
        consumer_count_[keep] += consumer_count_[gone];
        initial_[keep] += initial_[gone];
        final_[keep] += final_[gone];
        wake(keep);
    }

    void reduce(Index t) {
        const Transition& step = transitions_[t];
        if (!step.plain_silent()) return;  // a guard, an assignment or an interrupt stays where it is
        if (from(t) == to(t)) return kill(t);
        if (duplicate(t)) return kill(t);
        if (forward(t) || backward(t)) return;
        join(t);
    }

    bool duplicate(Index t) {
        Index p = from(t)[0].index;
        constexpr std::size_t most = 64;
        if (consumers_[p].size() > most) return false;
        for (Index other : consumers_[p])
            if (other != t && alive_[other] && transitions_[other].plain_silent() && from(other) == from(t) &&
                to(other) == to(t))
                return true;
        return false;
    }

    bool forward(Index t) {
        if (from(t).size() != 1 || to(t).empty()) return false;
        Index p = from(t)[0].index;
        auto targets = to(t);
        if (semaphore_[p] || final_[p] || consumer_count_[p] != 1 || has(targets, p)) return false;
        if (!same_class(p, targets)) return false;
        if (targets.size() == 1 && !semaphore_[targets[0].index]) {
            Index q = targets[0].index;
            if ((initial_[p] && initial_[q]) || overlap(producers_, p, q, true)) return false;
            kill(t);
            merge(p, q);
            return true;
        }
        return splice(t, p, targets);
    }

    // The transition that puts a token on p puts it after the fork t instead.
    bool splice(Index t, Index p, const std::vector<PlaceId>& targets) {
        if (producer_count_[p] + initial_[p] != 1) return false;
        if (initial_[p]) {
            for (PlaceId q : targets)
                if (initial_[q.index] || semaphore_[q.index]) return false;
            kill(t);
            initial_[p] = 0;
            for (PlaceId q : targets) ++initial_[q.index];
            return true;
        }
        Index u = only(producers_[p]);
        for (PlaceId q : targets)
            if (has(to(u), q.index)) return false;
        kill(t);
        auto& list = transitions_[u].to;
        std::erase(list, PlaceId(p));
        producer_count_[p] = 0;
        producers_[p].clear();
        for (PlaceId q : targets) {
            list.push_back(q);
            producers_[q.index].push_back(u);
            ++producer_count_[q.index];
            wake(q.index);
        }
        std::sort(list.begin(), list.end());
        return true;
    }

    bool backward(Index t) {
        if (from(t).size() != 1 || to(t).size() != 1) return false;
        Index p = from(t)[0].index, q = to(t)[0].index;
        if (semaphore_[p] || semaphore_[q] || initial_[q] || final_[p] || producer_count_[q] != 1)
            return false;
        if (clear_class_[p] != clear_class_[q] || overlap(consumers_, p, q, false)) return false;
        kill(t);
        merge(p, q);
        return true;
    }

    bool join(Index t) {
        auto sources = from(t);
        if (sources.size() < 2 || to(t).size() != 1) return false;
        Index q = to(t)[0].index;
        if (semaphore_[q] || initial_[q] || producer_count_[q] != 1 || !same_class(q, sources)) return false;
        if (has(sources, q)) return false;
        if (final_[q]) {
            bool free = final_[q] == 1 && consumer_count_[q] == 0 &&
                        std::none_of(sources.begin(), sources.end(),
                                     [&](PlaceId p) { return final_[p.index] || semaphore_[p.index]; });
            if (!free) return false;
            kill(t);
            final_[q] = 0;
            for (PlaceId p : sources) ++final_[p.index];
            return true;
        }
        constexpr Index few = 8;  // each then has as many places as segments end here
        if (consumer_count_[q] == 0 || consumer_count_[q] > few) return false;
        std::vector<Index> waiting = living(consumers_[q]);
        if (waiting.size() != consumer_count_[q]) return false;  // one takes two tokens
        for (Index u : waiting)
            for (PlaceId p : sources)
                if (has(from(u), p.index)) return false;
        kill(t);
        for (Index u : waiting) wait_for(u, q, sources);
        consumer_count_[q] = 0;
        consumers_[q].clear();
        return true;
    }

    // u takes its token from each of these instead of from q.
    void wait_for(Index u, Index q, const std::vector<PlaceId>& sources) {
        auto& list = transitions_[u].from;
        std::erase(list, PlaceId(q));
        for (PlaceId p : sources) {
            list.push_back(p);
            consumers_[p.index].push_back(u);
            ++consumer_count_[p.index];
            wake(p.index);
        }
        std::sort(list.begin(), list.end());
    }

    Net rebuild() {
        std::size_t n = parent_.size();
        std::vector<bool> used(n, false);
        for (Index p = 0; p < n; ++p)
            if (find(p) == p && (initial_[p] || final_[p])) used[p] = true;
        for (Index t = 0; t < transitions_.size(); ++t) {
            if (!alive_[t]) continue;
            for (PlaceId p : from(t)) used[p.index] = true;
            for (PlaceId p : to(t)) used[p.index] = true;
        }
        model::NetBuilder builder(std::string(net_.name()), net_.alphabet_ptr(), net_.pool());
        // A merged place is where its first part was, before the first step that any part was before.
        std::vector<PlaceId> new_id(n);
        for (Index p = 0; p < n; ++p) {
            Index root = find(p);
            if (!used[root]) continue;
            if (!new_id[root]) new_id[root] = builder.place({}, semaphore_[root], net_.places()[root].name);
            model::Place& place = builder.places()[new_id[root].index];
            if (!place.node) place.node = net_.places()[p].node;
        }
        auto renumber = [&](std::vector<PlaceId>& list) {
            resolve(list);
            std::erase_if(list, [&](PlaceId p) { return !used[p.index]; });
            for (PlaceId& p : list) p = new_id[p.index];
        };
        for (Index t = 0; t < transitions_.size(); ++t) {
            if (!alive_[t]) continue;
            renumber(transitions_[t].from);
            renumber(transitions_[t].to);
            renumber(transitions_[t].clears);
            builder.transition(std::move(transitions_[t]));
        }
        for (Index p = 0; p < n; ++p) {
            if (find(p) != p) continue;
            for (Index i = 0; i < initial_[p]; ++i) builder.initial(new_id[p]);
            for (Index i = 0; i < final_[p]; ++i) builder.final(new_id[p]);
        }
        auto reduced = builder.finish();
        TREATY_CHECK(reduced.has_value());
        return std::move(*reduced);
    }

    const Net& net_;
    std::vector<Transition> transitions_;
    std::vector<bool> alive_;
    std::vector<Index> parent_;
    std::vector<std::vector<Index>> producers_, consumers_;
    std::vector<Index> producer_count_, consumer_count_;  // living ones
    std::vector<Index> initial_, final_;                  // tokens
    std::vector<bool> semaphore_;
    std::vector<Index> clear_class_;  // equal: emptied by the same transitions
    std::deque<Index> queue_;
    std::vector<bool> queued_;
};

}  // namespace

Net reduce_net(const Net& net) {
    return Reducer(net).run();
}

}  // namespace treaty::choreo
