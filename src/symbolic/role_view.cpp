#include "symbolic/role_view.h"

#include <algorithm>
#include <deque>

namespace treaty::symbolic {

using model::RoleId;

RoleView::RoleView(const SymbolicGraph& graph, RoleId role, bool with_guards)
    : graph_(graph), role_(role), with_guards_(with_guards) {
    classes_.assign(graph.states.size(), 0);
    find_firsts();
    std::size_t count = 1;
    for (std::size_t round = 0; round <= graph.states.size(); ++round) {
        std::size_t now = refine();
        if (now == count) break;
        count = now;
    }
}

RoleView::First RoleView::first(GraphStateId s) const {
    First out;
    s = same_[s];
    for (const Event& event : events_[s]) {
        out.events[event.label].insert(class_of(event.target));
        if (graph_.alphabet->event(event.label).to != role_) out.all_received = false;
    }
    out.end = ends_[s];
    return out;
}

RoleView::Event RoleView::event_of(const GraphEdge& edge) {
    bool sends = graph_.sender(edge) == role_;
    How how{sends && with_guards_ ? graph_.guard(edge) : ExprId(), sends ? edge.condition : ExprId(), {}};
    for (const auto& u : edge.updates) std::get<2>(how).emplace_back(u.variable, u.value);
    return {edge.label, hows_.try_emplace(std::move(how), hows_.size()).first->second, edge.target};
}

// A state with one edge that is not the role's is, to the role, the state after it.
void RoleView::find_same() {
    std::size_t n = graph_.states.size();
    same_.resize(n);
    for (GraphStateId s : graph_.states.ids()) {
        const GraphState& state = graph_.states[s];
        bool passes = !state.terminates && state.out.size() == 1 && !mine(state.out.front());
        same_[s] = passes ? state.out.front().target : s;
    }
    // Shortened to the end of each chain; a cycle of such states ends somewhere on it.
    for (GraphStateId s : graph_.states.ids()) {
        GraphStateId end = s;
        for (std::size_t steps = 0; same_[end] != end && steps < n; ++steps) end = same_[end];
        same_[end] = end;
        for (GraphStateId at = s; at != end;) at = std::exchange(same_[at], end);
    }
}

void RoleView::find_firsts() {
    find_same();
    events_.resize(graph_.states.size());
    ends_.resize(graph_.states.size());
    model::ByGraphState<std::vector<GraphStateId>> before(graph_.states.size());
    for (GraphStateId s : graph_.states.ids()) {
        if (same_[s] != s) continue;
        ends_[s] = graph_.states[s].terminates.valid();
        for (const GraphEdge& edge : graph_.states[s].out)
            if (mine(edge))
                events_[s].insert(event_of(edge));
            else if (same_[edge.target] != s)
                before[same_[edge.target]].push_back(s);
    }
    std::deque<GraphStateId> pending;
    for (GraphStateId s : graph_.states.ids()) pending.push_front(s);
    while (!pending.empty()) {
        GraphStateId s = pending.front();
        pending.pop_front();
        for (GraphStateId p : before[s]) {
            std::size_t size = events_[p].size();
            bool end = ends_[p];
            events_[p].insert(events_[s].begin(), events_[s].end());
            ends_[p] = ends_[p] || ends_[s];
            if (events_[p].size() != size || end != ends_[p]) pending.push_back(p);
        }
    }
}

std::size_t RoleView::refine() {
    using Signature = std::vector<std::tuple<LabelId, std::size_t, std::size_t>>;
    std::map<std::pair<bool, Signature>, std::size_t> ids;
    model::ByGraphState<std::size_t> next(classes_.size());
    for (GraphStateId s : graph_.states.ids()) {
        if (same_[s] != s) continue;
        Signature signature;
        for (const Event& e : events_[s]) signature.push_back({e.label, e.how, class_of(e.target)});
        std::sort(signature.begin(), signature.end());
        signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
        next[s] = ids.try_emplace({ends_[s], std::move(signature)}, ids.size()).first->second;
    }
    classes_ = std::move(next);
    return ids.size();
}

Awaiting::Awaiting(const SymbolicGraph& graph, const std::vector<RoleId>& roles,
                   const std::function<const RoleView&(std::size_t)>& view_of) {
    std::map<RoleId, std::size_t> position;
    for (std::size_t r = 0; r < roles.size(); ++r) position[roles[r]] = r;
    labels_.assign(roles.size(), model::ByGraphState<std::set<LabelId>>(graph.states.size()));
    for (std::size_t sender = 0; sender < roles.size(); ++sender)
        for (GraphStateId s : graph.states.ids())
            view_of(sender).each_first(s, [&](LabelId label) {
                const model::Event& event = graph.alphabet->event(label);
                if (event.from == roles[sender]) labels_[position.at(event.to)][s].insert(label);
            });
    for (std::size_t r = 0; r < roles.size(); ++r) carry_back(graph, roles[r], labels_[r]);
}

void Awaiting::carry_back(const SymbolicGraph& graph, RoleId role,
                          model::ByGraphState<std::set<LabelId>>& labels) {
    model::ByGraphState<std::vector<GraphStateId>> before(graph.states.size());
    std::deque<GraphStateId> pending;
    for (GraphStateId s : graph.states.ids()) {
        pending.push_front(s);
        for (const GraphEdge& edge : graph.states[s].out)
            if (graph.sender(edge) != role && graph.receiver(edge) != role) before[edge.target].push_back(s);
    }
    while (!pending.empty()) {
        GraphStateId s = pending.front();
        pending.pop_front();
        for (GraphStateId p : before[s]) {
            std::size_t size = labels[p].size();
            labels[p].insert(labels[s].begin(), labels[s].end());
            if (labels[p].size() != size) pending.push_back(p);
        }
    }
}

}  // namespace treaty::symbolic
