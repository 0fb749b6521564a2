// Both analyses follow single tokens and ignore that some steps need several, so they say "matters" too often
// and never too seldom.
//
// before(t): backwards from t's places over silent steps; plus every silent step that t (or a step found so
// far) would cut off although it leaves a token elsewhere or a value; plus those that depend on data.
//
// find_crossing(p, a): forwards from a token on p over silent steps, outputs and inputs on other channels, in
// two layers: nothing visible passed yet, and something passed. If a is met in the second layer it must
// wait. A step of either layer that is visible, or silent and leads to something visible, and that takes or
// clears what a needs (or the other way round), or shares data with it, crosses a.
#include "track/relevance.h"

#include <algorithm>

namespace treaty::track {

using model::EventKind;
using model::LabelId;
using model::PlaceId;
using model::Transition;
using model::TransitionId;

namespace {

template <class T>
bool meet(const std::vector<T>& a, const std::vector<T>& b) {
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end()) {
        if (*i == *j) return true;
        if (*i < *j)
            ++i;
        else
            ++j;
    }
    return false;
}

template <class T>
void tidy(std::vector<T>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Relevance::Relevance(const model::Net& net, model::RoleId subject)
    : net_(net),
      subject_(subject),
      by_label_(net.alphabet().label_count()),
      known_(net.transitions().size(), 0),
      before_(net.transitions().size()) {
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        const Transition& t = net.transitions()[i];
        if (t.silent())
            silent_.push_back(TransitionId(i));
        else
            by_label_[t.label.index].push_back(TransitionId(i));
    }
    if (net.pool()) note_access();
}

void Relevance::note_access() {
    const expr::Pool& pool = *net_.pool();
    for (const Transition& t : net_.transitions()) {
        Access access;
        auto read = [&](expr::ExprId e) {
            if (!e) return;
            auto variables = pool.variables_of(e);
            access.reads.insert(access.reads.end(), variables.begin(), variables.end());
        };
        read(t.guard);
        read(t.where);
        for (const model::Argument& a : t.data) {
            read(a.value);
            if (a.bind) access.writes.push_back(a.bind);
        }
        for (const model::Assignment& a : t.assignments) {
            read(a.value);
            access.writes.push_back(a.variable);
        }
        tidy(access.reads);
        tidy(access.writes);
        access_.push_back(std::move(access));
    }
}

bool Relevance::depend(std::size_t a, std::size_t b) const {
    if (access_.empty()) return false;
    const Access& x = access_[a];
    const Access& y = access_[b];
    return meet(x.writes, y.writes) || meet(x.writes, y.reads) || meet(x.reads, y.writes);
}

bool Relevance::input(LabelId label) const {
    const model::Event& e = net_.alphabet().event(label);
    return e.kind == EventKind::receive && e.to == subject_;
}

bool Relevance::output(LabelId label) const {
    const model::Event& e = net_.alphabet().event(label);
    return e.kind == EventKind::send && e.from == subject_;
}

model::RoleId Relevance::peer(LabelId label) const {
    const model::Event& e = net_.alphabet().event(label);
    return e.from == subject_ ? e.to : e.from;
}

const std::vector<TransitionId>& Relevance::of_label(LabelId label) const {
    static const std::vector<TransitionId> none;
    return label.index < by_label_.size() ? by_label_[label.index] : none;
}

bool Relevance::cut_off(const Transition& by, const Transition& silent) const {
    if (by.clears.empty() || !meet(by.clears, silent.from)) return false;
    if (!silent.assignments.empty()) return true;
    for (PlaceId p : silent.to)
        if (!std::binary_search(by.clears.begin(), by.clears.end(), p)) return true;
    return false;
}

Relevance::Before Relevance::find_before(TransitionId transition) const {
    Before result;
    std::vector<bool> needed(net_.places().size()), taken(net_.transitions().size());
    std::vector<TransitionId> work = {transition};
    bool plain = net_.pool() == nullptr;
    for (std::size_t i = 0; i < work.size(); ++i) {
        const Transition& t = net_.transitions()[work[i].index];
        auto take = [&](TransitionId s) {
            if (taken[s.index] || s == transition) return;
            taken[s.index] = true;
            work.push_back(s);
        };
        for (PlaceId p : t.from) {
            if (needed[p.index]) continue;
            needed[p.index] = true;
            for (TransitionId s : net_.producers(p))
                if (net_.transitions()[s.index].silent()) take(s);
        }
        if (t.clears.empty() && plain) continue;
        for (TransitionId s : silent_)
            if (cut_off(t, net_.transitions()[s.index]) || depend(s.index, work[i].index)) take(s);
    }
    result.silent.assign(work.begin() + 1, work.end());
    std::sort(result.silent.begin(), result.silent.end());
    const Transition& t = net_.transitions()[transition.index];
    for (TransitionId s : result.silent) {
        const Transition& step = net_.transitions()[s.index];
        result.conflict = result.conflict || meet(step.from, t.from) || meet(step.from, t.clears) ||
                          meet(step.clears, t.from) || depend(s.index, transition.index);
    }
    return result;
}

const Relevance::Before& Relevance::before(TransitionId transition) {
    if (!known_[transition.index]) {
        before_[transition.index] = find_before(transition);
        known_[transition.index] = 1;
    }
    return before_[transition.index];
}

// Whether `other`, happening first, may change what becomes of `event`.
bool Relevance::excludes(TransitionId other, TransitionId event) {
    const Before& way = before(event);
    if (other == event || std::binary_search(way.silent.begin(), way.silent.end(), other)) return false;
    const Transition& u = net_.transitions()[other.index];
    auto disturbs = [&](TransitionId id) {
        const Transition& t = net_.transitions()[id.index];
        return meet(u.from, t.from) || meet(u.clears, t.from) || meet(u.from, t.clears) ||
               depend(other.index, id.index);
    };
    return disturbs(event) || std::any_of(way.silent.begin(), way.silent.end(), disturbs);
}

Relevance::Crossing Relevance::find_crossing(PlaceId place, LabelId label) {
    Crossing result;
    model::RoleId channel = peer(label);
    std::vector<std::uint8_t> seen(net_.places().size(),
                                   0);  // bit 0: nothing visible passed, bit 1: something
    std::vector<std::pair<PlaceId, bool>> work = {{place, false}};
    std::vector<TransitionId> visible, silent;
    seen[place.index] = 1;
    while (!work.empty()) {
        auto [p, passed] = work.back();
        work.pop_back();
        for (TransitionId id : net_.consumers(p)) {
            const Transition& t = net_.transitions()[id.index];
            if (t.label == label && passed) result.must_wait = true;
            bool shown = !t.silent();
            if (shown && input(t.label) && peer(t.label) == channel) continue;
            (shown ? visible : silent).push_back(id);
            std::uint8_t bit = passed || shown ? 2 : 1;
            for (PlaceId q : t.to) {
                if (seen[q.index] & bit) continue;
                seen[q.index] = static_cast<std::uint8_t>(seen[q.index] | bit);
                work.push_back({q, passed || shown});
            }
        }
    }
    result.crosses = result.must_wait;
    if (visible.empty() || result.crosses) return result;
    // Only silent steps that lead to something visible can be hidden by it.
    std::vector<TransitionId> hidden;
    for (TransitionId o : visible) {
        const Before& way = before(o);
        for (TransitionId s : silent)
            if (std::binary_search(way.silent.begin(), way.silent.end(), s)) hidden.push_back(s);
    }
    visible.insert(visible.end(), hidden.begin(), hidden.end());
    tidy(visible);
    for (TransitionId event : of_label(label))
        for (TransitionId u : visible) result.crosses = result.crosses || excludes(u, event);
    return result;
}

const Relevance::Crossing& Relevance::crossing(PlaceId place, LabelId label) {
    std::uint64_t key = std::uint64_t{place.index} << 32 | label.index;
    auto known = crossings_.find(key);
    if (known != crossings_.end()) return known->second;
    Crossing found = find_crossing(place, label);
    return crossings_.emplace(key, found).first->second;
}

bool Relevance::must_wait(PlaceId place, LabelId input) {
    return crossing(place, input).must_wait;
}
bool Relevance::crosses(PlaceId place, LabelId input) {
    return crossing(place, input).crosses;
}

}  // namespace treaty::track
