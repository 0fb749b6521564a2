#include "repair/addition.h"

#include <algorithm>

#include <fmt/format.h>

#include "symbolic/knowledge.h"

namespace treaty::repair {
namespace {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::RoleId;
using model::SymbolicGraph;
using symbolic::the_end;
using Kind = Problem::Kind;
using Position = Addition::Position;

std::string name_of(Kind why, std::size_t number) {
    std::string_view kind = why == Kind::order ? "order" : why == Kind::data ? "data" : "branch";
    return fmt::format("added_{}{}", kind, number);
}

GraphEdge added_edge(SymbolicGraph& graph, const Addition& a) {
    GraphEdge edge;
    edge.label = graph.alphabet->interaction(a.from, a.to, a.message);
    edge.added = a.id;
    edge.node = a.node;
    if (a.variable) {
        model::Argument argument;
        argument.value = graph.pool->var(a.variable);
        set_data(graph, edge, std::span(&argument, 1), {}, {});
    }
    return edge;
}

// The values that some role can use and some role does not know.
std::set<VarId> sent_variables(const SymbolicGraph& graph) {
    std::set<VarId> bound, sent;
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out)
            for (const model::Assignment& u : edge.updates) bound.insert(u.variable);
    auto used = [&](ExprId condition, std::span<const VarId> but) {
        for (VarId v : graph.pool->variables_of(condition))
            if (bound.contains(v) && std::find(but.begin(), but.end(), v) == but.end()) sent.insert(v);
    };
    for (const GraphState& state : graph.states) {
        for (const GraphEdge& edge : state.out) {
            for (const GuardPart& part : edge.guards) used(part.condition, {});
            if (edge.condition) used(edge.condition, graph.payload_of(edge.label));
        }
        if (state.terminates) used(state.terminates, {});
    }
    for (VarId v : symbolic::with_sources(graph, {sent.begin(), sent.end()}))
        if (bound.contains(v)) sent.insert(v);
    return sent;
}

}  // namespace

void find_neighbour(const SymbolicGraph& graph, Addition& a) {
    const GraphState& state = graph.states[a.state];
    const GraphEdge* edge = nullptr;
    if (a.position == Position::before_edge || a.position == Position::after_edge) edge = &state.out[a.edge];
    if (a.position == Position::before_state && state.out.size() == 1) edge = &state.out.front();
    a.after = a.position == Position::after_edge;
    if (edge && edge->added)
        a.neighbour = edge->added;
    else if (edge && a.position != Position::before_state)
        a.node = edge->node;
    else if (a.position == Position::before_state)
        a.node = state.node;
    // A loop that may end, with nothing after it: what is sent before the end comes after the loop.
    if (a.position == Position::before_end) {
        a.node = state.node;
        a.after = true;
    }
    // After everything.
    if (a.position == Position::before_state && state.out.empty() && state.terminates) {
        a.node = model::NodeId(0u);
        a.after = true;
    }
}

void apply(Draft& draft, const Addition& a) {
    SymbolicGraph& graph = draft.graph;
    GraphEdge edge = added_edge(graph, a);
    GraphStateId fresh = graph.states.next_id();
    edge.target = fresh;
    graph.states.emplace_back();
    draft.origins.emplace_back();
    draft.original.push_back(draft.original[a.state]);
    GraphState& here = graph.states[a.state];
    GraphState& next = graph.states[fresh];
    next.name = here.name.empty() ? std::string() : here.name + "'";
    switch (a.position) {
        case Position::before_state:
            next.out = std::move(here.out);
            next.node = here.node;
            next.terminates = here.terminates;
            draft.origins[fresh] = std::move(draft.origins[a.state]);
            here.terminates = {};
            here.out.clear();
            here.out.push_back(std::move(edge));
            draft.origins[a.state].clear();
            draft.origins[a.state].emplace_back();
            break;
        case Position::before_edge: {
            GraphEdge& old = here.out[a.edge];
            edge.guards = std::move(old.guards);
            old.guards.clear();
            next.out.push_back(std::move(old));
            draft.origins[fresh].emplace_back();
            here.out[a.edge] = std::move(edge);
            break;
        }
        case Position::after_edge: {
            GraphEdge& old = here.out[a.edge];
            edge.target = old.target;
            old.target = fresh;
            next.out.push_back(std::move(edge));
            draft.origins[fresh].emplace_back();
            break;
        }
        case Position::before_end:
            if (here.terminates && !graph.pool->is_true(here.terminates))
                edge.guards.push_back({here.terminates, {}});
            next.terminates = graph.pool->boolean(true);
            here.terminates = {};
            here.out.push_back(std::move(edge));
            draft.origins[a.state].push_back({draft.original[a.state], the_end, true});
            break;
    }
}

AddedMessages::AddedMessages(const SymbolicGraph& graph) : alphabet_(graph.alphabet) {
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out)
            used_.emplace(alphabet_->name(alphabet_->event(edge.label).message));
}

bool AddedMessages::free(std::size_t number) const {
    return !used_.contains(name_of(Kind::order, number)) && !used_.contains(name_of(Kind::data, number)) &&
           !used_.contains(name_of(Kind::untold, number));
}

model::MessageId AddedMessages::of(Kind why, AdditionId id) {
    while (numbers_.size() <= id.index) {
        std::size_t number = numbers_.empty() ? 1 : numbers_.back() + 1;
        while (!free(number)) ++number;
        numbers_.push_back(number);
        // In the order of the numbers, whichever of them is asked for first: a text declares them so.
        for (Kind kind : {Kind::order, Kind::data, Kind::untold}) alphabet_->message(name_of(kind, number));
    }
    return alphabet_->message(name_of(why, numbers_[id.index]));
}

AdditionSpace::AdditionSpace(const Draft& draft) {
    add_positions(draft.graph);
    add_sayings(draft.graph);
}

void AdditionSpace::add_positions(const SymbolicGraph& graph) {
    auto add = [&](Position position, GraphStateId s, GraphEdgeId e) {
        Addition a;
        a.position = position;
        a.state = s;
        a.edge = e;
        find_neighbour(graph, a);
        position_of_.emplace(key(a), positions_.size());
        positions_.push_back(a);
    };
    for (GraphStateId s : graph.states.ids()) {
        const GraphState& state = graph.states[s];
        add(Position::before_state, s, {});
        for (GraphEdgeId e : state.out.ids()) {
            // With one continuation, before the edge is before the state, except for who checks the guard.
            if (state.out.size() > 1 || state.terminates || !state.out[e].guards.empty())
                add(Position::before_edge, s, e);
            else
                position_of_.emplace(PositionKey{Position::before_edge, s, e}, positions_.size() - 1);
            add(Position::after_edge, s, e);
        }
        if (state.terminates && !state.out.empty()) add(Position::before_end, s, {});
    }
}

void AdditionSpace::add_sayings(const SymbolicGraph& graph) {
    std::set<VarId> sent = sent_variables(graph);
    auto add = [&](RoleId from, RoleId to, VarId variable) {
        saying_of_.emplace(SayingKey{from, to, variable}, sayings_.size());
        sayings_.push_back({from, to, variable});
    };
    std::vector<RoleId> roles = symbolic::roles_of(graph);
    for (RoleId from : roles)
        for (RoleId to : roles) {
            if (from == to) continue;
            add(from, to, {});
            for (VarId v : sent) add(from, to, v);
        }
}

Addition AdditionSpace::at(Index index) const {
    Addition a = positions_[index.position];
    a.from = sayings_[index.saying].from;
    a.to = sayings_[index.saying].to;
    a.variable = sayings_[index.saying].variable;
    return a;
}

std::optional<AdditionSpace::Index> AdditionSpace::find(const Addition& a) const {
    auto position = position_of_.find(key(a));
    auto saying = saying_of_.find(SayingKey{a.from, a.to, a.variable});
    if (position == position_of_.end() || saying == saying_of_.end()) return std::nullopt;
    return Index{position->second, saying->second};
}

}  // namespace treaty::repair
