// The subset construction, one node at a time. Nearly all nodes of nearly all specifications represent one
// state without silent steps; those are found by a table lookup and need neither hashing nor sorting.

#include "explore/refine_normal.h"

#include <algorithm>

#include "base/hash.h"

namespace treaty::explore {

using model::Edge;
using model::LabelId;
using model::StateId;

bool within(const Acceptance& a, const Acceptance& b) {
    return a.size() <= b.size() && std::includes(b.begin(), b.end(), a.begin(), a.end());
}

void keep_least(std::vector<Acceptance>& sets) {
    std::sort(sets.begin(), sets.end(), [](const Acceptance& a, const Acceptance& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    std::vector<Acceptance> least;
    for (Acceptance& set : sets) {
        bool covered = std::any_of(least.begin(), least.end(), [&](const auto& l) { return within(l, set); });
        if (!covered) least.push_back(std::move(set));
    }
    sets = std::move(least);
}

NormalForm::NormalForm(Graph& graph, std::uint64_t max_members)
    : graph_(graph), divergence_(graph), max_members_(max_members) {
    std::vector<StateId> first{StateId(0u)};
    node_of(first);
}

std::span<const StateId> NormalForm::members(NormalId n) const {
    const Node& node = nodes_[n.index];
    return std::span(members_).subspan(node.first_member, node.member_count);
}

bool NormalForm::plain(StateId s) {
    auto edges = graph_.out(s);
    return edges.empty() || edges.front().label != graph_.alphabet().silent();
}

NormalId NormalForm::single(StateId s) {
    if (singles_.size() <= s.index) singles_.resize(std::max<std::size_t>(s.index + 1, singles_.size() * 2));
    if (!singles_[s.index]) {
        NormalId made = intern(std::span(&s, 1));
        singles_[s.index] = made;
    }
    return singles_[s.index];
}

NormalId NormalForm::node_of(std::vector<StateId>& states) {
    if (states.size() == 1 && plain(states[0])) return single(states[0]);
    ++now_;
    auto fresh = [&](StateId s) {
        if (stamp_.size() <= s.index) stamp_.resize(std::max<std::size_t>(s.index + 1, stamp_.size() * 2));
        return std::exchange(stamp_[s.index], now_) != now_;
    };
    std::erase_if(states, [&](StateId s) { return !fresh(s); });
    for (std::size_t i = 0; i < states.size(); ++i) {
        for (const Edge& e : graph_.out(states[i])) {
            if (e.label != graph_.alphabet().silent()) break;
            if (fresh(e.target)) states.push_back(e.target);
        }
    }
    if (states.size() == 1 && plain(states[0])) return single(states[0]);
    std::sort(states.begin(), states.end());
    std::uint64_t hash = states.size();
    for (StateId s : states) hash = base::combine(hash, s.index);
    // intern() adds nodes but never touches by_hash_.
    std::vector<NormalId>& same = by_hash_[hash];
    for (NormalId n : same) {
        auto known = members(n);
        if (std::equal(known.begin(), known.end(), states.begin(), states.end())) return n;
    }
    NormalId made = intern(states);
    same.push_back(made);
    return made;
}

NormalId NormalForm::intern(std::span<const StateId> states) {
    if (members_.size() + states.size() > max_members_) full_ = true;
    Node node;
    node.first_member = members_.size();
    node.member_count = static_cast<std::uint32_t>(states.size());
    for (StateId s : states) node.final = node.final || graph_.final(s);
    members_.insert(members_.end(), states.begin(), states.end());
    nodes_.push_back(node);
    return NormalId(nodes_.size() - 1);
}

void NormalForm::expand(NormalId n) {
    nodes_[n.index].expanded = true;
    if (broken()) return;
    std::vector<NormalStep> found;
    std::vector<StateId> targets;
    if (nodes_[n.index].member_count == 1) {
        auto edges = graph_.out(members(n)[0]);
        for (std::size_t i = 0; i < edges.size();) {
            LabelId label = edges[i].label;
            targets.clear();
            for (; i < edges.size() && edges[i].label == label; ++i) targets.push_back(edges[i].target);
            if (label != graph_.alphabet().silent()) found.push_back({label, node_of(targets)});
        }
    } else {
        std::vector<Edge> all;
        for (StateId s : members(n))
            for (const Edge& e : graph_.out(s))
                if (e.label != graph_.alphabet().silent()) all.push_back(e);
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < all.size();) {
            LabelId label = all[i].label;
            targets.clear();
            for (; i < all.size() && all[i].label == label; ++i) targets.push_back(all[i].target);
            found.push_back({label, node_of(targets)});
        }
    }
    nodes_[n.index].first_step = steps_.size();
    nodes_[n.index].step_count = static_cast<std::uint32_t>(found.size());
    steps_.insert(steps_.end(), found.begin(), found.end());
}

NormalId NormalForm::after(NormalId n, LabelId label) {
    auto all = steps(n);
    auto found = std::lower_bound(all.begin(), all.end(), label,
                                  [](const NormalStep& s, LabelId l) { return s.label < l; });
    return found != all.end() && found->label == label ? found->target : NormalId();
}

const std::vector<Acceptance>& NormalForm::acceptances(NormalId n) {
    if (nodes_[n.index].acceptances != none) return acceptances_[nodes_[n.index].acceptances];
    std::vector<Acceptance> sets;
    for (StateId s : members(n)) {
        // What ends may refuse everything else, whatever else it offers.
        if (graph_.final(s)) {
            sets.push_back({LabelId(0u)});
            continue;
        }
        if (!plain(s)) continue;
        Acceptance offered;
        for (const Edge& e : graph_.out(s))
            if (offered.empty() || offered.back() != e.label) offered.push_back(e.label);
        sets.push_back(std::move(offered));
    }
    if (sets.size() > 1) keep_least(sets);
    nodes_[n.index].acceptances = static_cast<std::uint32_t>(acceptances_.size());
    acceptances_.push_back(std::move(sets));
    return acceptances_.back();
}

bool NormalForm::diverges(NormalId n) {
    for (StateId s : members(n))
        if (divergence_(s)) return true;
    return false;
}

bool NormalForm::within(NormalId a, NormalId b) const {
    if (a == b) return true;
    auto x = members(a), y = members(b);
    return x.size() <= y.size() && std::includes(y.begin(), y.end(), x.begin(), x.end());
}

}  // namespace treaty::explore
