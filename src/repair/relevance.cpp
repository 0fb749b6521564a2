#include "repair/relevance.h"

#include <algorithm>
#include <set>

#include "symbolic/knowledge.h"

namespace treaty::repair {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::RoleId;
using symbolic::CommunicationMode;
using symbolic::connected;
using symbolic::Parties;
using symbolic::the_end;
using symbolic::with_sources;
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
        GraphStateId after = graph_.states[problem.state].out[way].target;
        if (!out.states[after]) pending.push_back(after);
        out.states[after] = true;
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
        case Position::before_state: return reach.states[a.state];
        case Position::before_edge: return reach.edges[a.state][a.edge];
        case Position::after_edge:
            return reach.edges[a.state][a.edge] && reach.states[graph_.states[a.state].out[a.edge].target];
        case Position::before_end: return reach.states[a.state];
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
    if (place.position != Position::before_edge) return false;
    const GraphEdge& edge = graph_.states[place.state].out[place.edge];
    return !edge.guards.empty() && graph_.sender(edge) == role;
}

bool Relevance::puts_off(const Problem& p, const Addition& place) const {
    if (place.position != Position::before_edge || place.state != p.state) return false;
    if (place.edge != p.edge && place.edge != p.other) return false;
    const GraphEdge& edge = graph_.states[place.state].out[place.edge];
    return graph_.sender(edge) == p.role || graph_.receiver(edge) == p.role;
}

AdditionSet Relevance::sayings(RoleId role) const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k)
        if (space_.sayings()[k].from == role || space_.sayings()[k].to == role) out.add({0, k});
    return out;
}

AdditionSet Relevance::telling(RoleId role, const std::vector<VarId>& variables) const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) {
        const auto& saying = space_.sayings()[k];
        bool wanted = std::find(variables.begin(), variables.end(), saying.variable) != variables.end();
        if (saying.to == role && saying.variable && wanted) out.add({0, k});
    }
    return out;
}

AdditionSet Relevance::anything() const {
    AdditionSet out(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) out.add({0, k});
    return out;
}

// The messages sent in the places that concern the problem.
AdditionSet Relevance::at(const Problem& p, const AdditionSet& what) const {
    AdditionSet out(space_.positions().size(), space_.sayings().size());
    for (std::size_t i = 0; i < space_.positions().size(); ++i) {
        const Addition& a = space_.positions()[i];
        bool before = a.state == p.state && a.position == Position::before_edge &&
                      (a.edge == p.edge || p.kind == Kind::deciders);
        bool between =
            p.kind == Kind::order &&
            ((a.position == Position::after_edge && a.state == p.before && a.edge == p.before_edge) ||
             (a.position == Position::before_state && a.state == p.state));
        if (before || between) out.add(i, what);
    }
    return out;
}

AdditionSet Relevance::untold(const Problem& p) const {
    AdditionSet out(space_.positions().size(), space_.sayings().size());
    AdditionSet learning = telling(p.role, asked(p.state)), any = anything();
    bool ends = p.edge == the_end || p.other == the_end;
    for (RoleId role : {p.role, p.rival}) {
        if (!role) continue;
        Reach between = role == p.rival ? rivals_reach(p) : reach(p, role);
        AdditionSet part = sayings(role);
        for (std::size_t i = 0; i < space_.positions().size(); ++i) {
            const Addition& place = space_.positions()[i];
            bool at_its_end = ends && place.position == Position::before_end && place.state == p.state;
            if (at_its_end || within(between, place)) out.add(i, part);
            if (puts_off(p, place)) out.add(i, any);
            if (p.by_guards && guarded_send(place, p.role)) out.add(i, any);
            out.add(i, learning);
        }
    }
    return out;
}

AdditionSet Relevance::to(const Problem& p) const {
    if (p.kind == Kind::untold) return untold(p);
    if (p.kind == Kind::together) {
        AdditionSet all(space_.positions().size(), space_.sayings().size());
        for (std::size_t i = 0; i < space_.positions().size(); ++i) all.add(i, anything());
        return all;
    }
    AdditionSet out = at(p, anything());
    if (p.kind != Kind::data) return out;
    AdditionSet learning = telling(p.role, with_sources(graph_, {p.variable}));
    for (std::size_t i = 0; i < space_.positions().size(); ++i) out.add(i, learning);
    return out;
}

AdditionSet Relevance::alone(const Problem& p, CommunicationMode mode) const {
    if (p.kind != Kind::order) return to(p);
    const GraphEdge& before = graph_.states[p.before].out[p.before_edge];
    const GraphEdge& after = graph_.states[p.state].out[p.edge];
    Parties first{graph_.sender(before), graph_.receiver(before)};
    Parties second{graph_.sender(after), graph_.receiver(after)};
    AdditionSet links(1, space_.sayings().size());
    for (std::size_t k = 0; k < space_.sayings().size(); ++k) {
        Parties link{space_.sayings()[k].from, space_.sayings()[k].to};
        if (connected(mode, first, link) && connected(mode, link, second)) links.add({0, k});
    }
    return at(p, links);
}

std::size_t lower_bound(const std::vector<RelevantProblem>& problems) {
    if (problems.empty()) return 0;
    // Problems that share no relevant addition need one each; those with few are likely to share none.
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t k = 0; k < problems.size(); ++k) order.emplace_back(problems[k].relevant->size(), k);
    std::sort(order.begin(), order.end());
    AdditionSet used = *problems[order.front().second].relevant;
    std::size_t apart = 1;
    for (auto [size, k] : order)
        if (!used.meets(*problems[k].relevant)) {
            ++apart;
            used.join(*problems[k].relevant);
        }
    std::set<GraphStateId> states;  // each addition is at one
    for (const RelevantProblem& p : problems)
        if (p.problem->kind == Kind::order || p.problem->kind == Kind::deciders)
            states.insert(p.problem->state);
    return std::max(apart, states.size());
}

bool may_be_completed(const std::vector<RelevantProblem>& problems, AdditionSpace::Index addition,
                      std::size_t others) {
    std::vector<RelevantProblem> rest;
    for (const RelevantProblem& p : problems)
        if (!p.relevant->has(addition)) rest.push_back(p);
    if (rest.empty()) return true;
    if (others != 1) return others > 0 && lower_bound(rest) <= others;
    // A single one must be relevant to all of them.
    AdditionSet common = *rest.front().relevant;
    for (const RelevantProblem& p : rest) common.meet(*p.relevant);
    return common.size() > 0;
}

}  // namespace treaty::repair
