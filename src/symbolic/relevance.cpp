#include "symbolic/relevance.h"

#include <algorithm>
#include <set>

namespace treaty::symbolic {

using model::RoleId;
using Position = Addition::Position;
using Kind = Problem::Kind;

Relevance::Reach Relevance::reach(const Problem& problem, RoleId role) const {
    Reach out;
    out.states.resize(graph_.states.size());
    out.edges.resize(graph_.states.size());
    for (GraphStateId s : graph_.states.ids()) out.edges[s].resize(graph_.states[s].out.size());
    std::vector<GraphStateId> pending;
    for (GraphEdgeId way : {problem.edge, problem.other})
        if (way != the_end) take(out, pending, problem.state, way, role);
    walk(out, pending, role);
    return out;
}

Relevance::Reach Relevance::rivals_reach(const Problem& problem) const {
    Reach out = reach(problem, problem.role);
    std::vector<GraphStateId> pending;
    for (GraphEdgeId way : {problem.edge, problem.other}) {
        if (way == the_end) continue;
        GraphStateId behind = graph_.states[problem.state].out[way].target;
        if (!out.states[behind]) pending.push_back(behind);
        out.states[behind] = true;
    }
    for (GraphStateId s : graph_.states.ids())
        if (out.states[s]) pending.push_back(s);
    walk(out, pending, problem.rival);
    return out;
}

void Relevance::take(Reach& out, std::vector<GraphStateId>& pending, GraphStateId s, GraphEdgeId e,
                     RoleId role) const {
    const GraphEdge& edge = graph_.states[s].out[e];
    out.edges[s][e] = true;
    bool has_part = graph_.sender(edge) == role || graph_.receiver(edge) == role;
    if (has_part || out.states[edge.target]) return;
    out.states[edge.target] = true;
    pending.push_back(edge.target);
}

void Relevance::walk(Reach& out, std::vector<GraphStateId>& pending, RoleId role) const {
    while (!pending.empty()) {
        GraphStateId s = pending.back();
        pending.pop_back();
        for (GraphEdgeId e : graph_.states[s].out.ids()) take(out, pending, s, e, role);
    }
}

bool Relevance::within(const Reach& reach, const Addition& a) const {
    switch (a.position) {
        case Position::at_state: return reach.states[a.state];
        case Position::on_edge: return reach.edges[a.state][a.edge];
        case Position::behind_edge:
            return reach.edges[a.state][a.edge] && reach.states[graph_.states[a.state].out[a.edge].target];
        case Position::at_end: return reach.states[a.state];
    }
    return true;
}

std::vector<VarId> Relevance::asked(GraphStateId s) const {
    std::vector<VarId> out;
    auto add = [&](ExprId condition) {
        for (VarId v : graph_.pool->variables_of(condition)) out.push_back(v);
    };
    const GraphState& state = graph_.states[s];
    for (const GraphEdge& edge : state.out)
        for (const GuardPart& part : edge.guards) add(part.condition);
    if (state.terminates) add(state.terminates);
    return with_sources(graph_, std::move(out));
}

bool Relevance::guarded_send(const Addition& place, RoleId role) const {
    if (place.position != Position::on_edge) return false;
    const GraphEdge& edge = graph_.states[place.state].out[place.edge];
    return !edge.guards.empty() && graph_.sender(edge) == role;
}

AdditionSet Relevance::sayings(RoleId role) const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k)
        if (space_.sayings()[k].from == role || space_.sayings()[k].to == role) out.add(0, k);
    return out;
}

AdditionSet Relevance::telling(RoleId role, const std::vector<VarId>& variables) const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) {
        const auto& saying = space_.sayings()[k];
        bool wanted = std::find(variables.begin(), variables.end(), saying.variable) != variables.end();
        if (saying.to == role && saying.variable && wanted) out.add(0, k);
    }
    return out;
}

AdditionSet Relevance::anything() const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) out.add(0, k);
    return out;
}

// What is said, in the places that concern the problem.
AdditionSet Relevance::at(const Problem& p, const AdditionSet& what) const {
    AdditionSet out(space_.places().size(), space_.sayings().size());
    for (std::size_t i = 0; i < space_.places().size(); ++i) {
        const Addition& a = space_.places()[i];
        bool before = a.state == p.state && a.position == Position::on_edge &&
                      (a.edge == p.edge || p.kind == Kind::deciders);
        bool between =
            p.kind == Kind::order &&
            ((a.position == Position::behind_edge && a.state == p.before && a.edge == p.before_edge) ||
             (a.position == Position::at_state && a.state == p.state));
        if (before || between) out.add(i, what);
    }
    return out;
}

AdditionSet Relevance::untold(const Problem& p) const {
    AdditionSet out(space_.places().size(), space_.sayings().size());
    AdditionSet learning = telling(p.role, asked(p.state)), any = anything();
    bool ends = p.edge == the_end || p.other == the_end;
    for (RoleId role : {p.role, p.rival}) {
        if (!role) continue;
        Reach between = role == p.rival ? rivals_reach(p) : reach(p, role);
        AdditionSet part = sayings(role);
        for (std::size_t i = 0; i < space_.places().size(); ++i) {
            const Addition& place = space_.places()[i];
            bool at_its_end = ends && place.position == Position::at_end && place.state == p.state;
            if (at_its_end || within(between, place)) out.add(i, part);
            if (p.by_guards && guarded_send(place, p.role)) out.add(i, any);
            out.add(i, learning);
        }
    }
    return out;
}

AdditionSet Relevance::to(const Problem& p) const {
    if (p.kind == Kind::untold) return untold(p);
    if (p.kind == Kind::together) {
        AdditionSet all(space_.places().size(), space_.sayings().size());
        for (std::size_t i = 0; i < space_.places().size(); ++i) all.add(i, anything());
        return all;
    }
    AdditionSet out = at(p, anything());
    if (p.kind != Kind::data) return out;
    AdditionSet learning = telling(p.role, with_sources(graph_, {p.variable}));
    for (std::size_t i = 0; i < space_.places().size(); ++i) out.add(i, learning);
    return out;
}

AdditionSet Relevance::alone(const Problem& p, CommunicationMode mode) const {
    if (p.kind != Kind::order) return to(p);
    const GraphEdge& before = graph_.states[p.before].out[p.before_edge];
    const GraphEdge& behind = graph_.states[p.state].out[p.edge];
    Parties first{graph_.sender(before), graph_.receiver(before)};
    Parties second{graph_.sender(behind), graph_.receiver(behind)};
    AdditionSet links(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) {
        Parties link{space_.sayings()[k].from, space_.sayings()[k].to};
        if (connected(mode, first, link) && connected(mode, link, second)) links.add(0, k);
    }
    return at(p, links);
}

std::size_t at_least(const std::vector<const Problem*>& problems,
                     const std::vector<const AdditionSet*>& relevant) {
    if (problems.empty()) return 0;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // the fewest first
    for (std::size_t k = 0; k < problems.size(); ++k) order.emplace_back(relevant[k]->size(), k);
    std::sort(order.begin(), order.end());
    AdditionSet used = *relevant[order.front().second];
    std::size_t apart = 1;
    for (auto [size, k] : order)
        if (!used.meets(*relevant[k])) {
            ++apart;
            used.join(*relevant[k]);
        }
    std::set<GraphStateId> places;  // each addition is at one
    for (const Problem* p : problems)
        if (p->kind == Kind::order || p->kind == Kind::deciders) places.insert(p->state);
    return std::max(apart, places.size());
}

}  // namespace treaty::symbolic
