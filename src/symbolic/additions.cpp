#include "symbolic/additions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace treaty::symbolic {
namespace {

using model::RoleId;
using Position = Addition::Position;
using Kind = Problem::Kind;

constexpr std::size_t max_behind = 4;  // interactions between a decision and being told of it

GraphEdge added_edge(SymbolicGraph& graph, const Addition& a) {
    model::Alphabet& alphabet = *graph.alphabet;
    GraphEdge edge;
    edge.label = alphabet.interaction(a.from, a.to, alphabet.message(a.message));
    edge.added = true;
    edge.node = a.node;
    if (a.variable) {
        model::Argument argument;
        argument.value = graph.pool->var(a.variable);
        set_data(graph, edge, std::span(&argument, 1), {}, {});
    }
    return edge;
}

std::string message_of(const SymbolicGraph& graph, const GraphEdge& edge) {
    return std::string(graph.alphabet->name(graph.alphabet->event(edge.label).message));
}

// Says where in the text the addition's position is.
void find_place(const SymbolicGraph& graph, Addition& a) {
    const GraphState& state = graph.states[a.state];
    const GraphEdge* edge = nullptr;
    if (a.position == Position::on_edge || a.position == Position::behind_edge) edge = &state.out[a.edge];
    if (a.position == Position::at_state && state.out.size() == 1) edge = &state.out.front();
    a.behind = a.position == Position::behind_edge;
    if (edge && edge->added)
        a.neighbour = message_of(graph, *edge);
    else if (edge && a.position != Position::at_state)
        a.node = edge->node;
    else if (a.position == Position::at_state)
        a.node = state.node;
    // A loop that may end, with nothing after it: what is sent before the end comes after the loop.
    if (a.position == Position::at_end) {
        a.node = state.node;
        a.behind = true;
    }
    // Behind everything.
    if (a.position == Position::at_state && state.out.empty() && state.terminates) {
        a.node = model::NodeId(0u);
        a.behind = true;
    }
}

// What problems of a draft call for, most promising first.
class Suggestions {
public:
    Suggestions(const SymbolicGraph& graph, CommunicationMode mode, const Problem& problem,
                const std::vector<RoleId>& roles, const Knowledge& known)
        : graph_(graph), mode_(mode), problem_(problem), roles_(roles), known_(known) {}

    std::vector<Addition> all() {
        switch (problem_.kind) {
            case Kind::order: order(); break;
            case Kind::data: data(); break;
            case Kind::deciders: deciders(); break;
            case Kind::untold: untold(); break;
            case Kind::together: break;
        }
        return std::move(out_);
    }

private:
    const GraphEdge& edge(GraphEdgeId e) const { return graph_.states[problem_.state].out[e]; }
    Parties parties(const GraphEdge& e) const { return {graph_.sender(e), graph_.receiver(e)}; }

    void suggest(Position position, GraphStateId state, GraphEdgeId e, RoleId from, RoleId to,
                 VarId variable = {}) {
        if (from == to) return;
        Addition a;
        a.position = position;
        a.state = state;
        a.edge = e;
        a.from = from;
        a.to = to;
        a.variable = variable;
        a.why = problem_.kind;
        find_place(graph_, a);
        out_.push_back(std::move(a));
    }
    void suggest(Position position, GraphEdgeId e, RoleId from, RoleId to, VarId variable = {}) {
        suggest(position, problem_.state, e, from, to, variable);
    }

    void order() {
        Parties first = parties(graph_.states[problem_.before].out[problem_.before_edge]);
        Parties second = parties(edge(problem_.edge));
        std::vector<Parties> links;
        for (RoleId x : {first.to, first.from})
            for (RoleId y : {second.from, second.to})
                for (Parties link : {Parties{x, y}, Parties{y, x}})
                    if (link.from != link.to && connected(mode_, first, link) &&
                        connected(mode_, link, second))
                        links.push_back(link);
        for (Parties link : links)
            if (before_all_ways(link))
                suggest(Position::behind_edge, problem_.before, problem_.before_edge, link.from, link.to);
        for (Parties link : links) suggest(Position::on_edge, problem_.edge, link.from, link.to);
        if (graph_.states[problem_.state].out.size() > 1)
            for (Parties link : links) suggest(Position::at_state, the_end, link.from, link.to);
        for (Parties link : links)
            suggest(Position::behind_edge, problem_.before, problem_.before_edge, link.from, link.to);
    }

    // Whether all continuations from a state with several come after the link: it does for all of them.
    bool before_all_ways(Parties link) const {
        const auto& ways = graph_.states[problem_.state].out;
        return ways.size() > 1 && std::all_of(ways.begin(), ways.end(), [&](const GraphEdge& way) {
                   return connected(mode_, link, parties(way));
               });
    }

    std::vector<RoleId> owners(VarId v) {
        std::vector<RoleId> out;
        for (std::size_t r = 0; r < roles_.size(); ++r)
            if (known_.knows(problem_.state, r, v)) out.push_back(roles_[r]);
        // Who sends next is the natural one to tell others before.
        std::stable_partition(out.begin(), out.end(), [&](RoleId r) {
            const auto& next = graph_.states[problem_.state].out;
            return std::any_of(next.begin(), next.end(),
                               [&](const GraphEdge& e) { return graph_.sender(e) == r; });
        });
        return out;
    }

    void data() {
        for (RoleId owner : owners(problem_.variable)) {
            suggest(Position::at_state, the_end, owner, problem_.role, problem_.variable);
            suggest(Position::on_edge, problem_.edge, owner, problem_.role, problem_.variable);
        }
    }

    // The role that has a part in most continuations, first.
    void deciders() {
        std::vector<std::pair<std::size_t, RoleId>> ranked;
        for (RoleId r : roles_) {
            std::size_t parts = 0;
            for (const GraphEdge& e : graph_.states[problem_.state].out) parts += decides(r, e);
            ranked.emplace_back(parts, r);
        }
        std::stable_sort(ranked.begin(), ranked.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (auto [parts, r] : ranked) {
            if (parts == 0) continue;
            for (GraphEdgeId e : graph_.states[problem_.state].out.ids()) {
                if (decides(r, edge(e))) continue;
                suggest(Position::on_edge, e, r, graph_.sender(edge(e)));
                if (mode_ == CommunicationMode::sync)
                    suggest(Position::on_edge, e, r, graph_.receiver(edge(e)));
            }
        }
    }
    bool decides(RoleId r, const GraphEdge& e) const {
        return graph_.sender(e) == r || (mode_ == CommunicationMode::sync && graph_.receiver(e) == r);
    }

    // By a value that the guards need; after the branch that was taken, so that nothing is decided earlier
    // than the protocol does; before it.
    void untold() {
        if (problem_.rival) make_rival_wait(problem_.state, problem_.edge);
        if (same_event())
            suggest(Position::on_edge, problem_.other, graph_.sender(edge(problem_.other)),
                    graph_.receiver(edge(problem_.other)));
        // Who would begin a way without deciding is asked to, by its partner.
        for (GraphEdgeId way : {problem_.other, problem_.edge})
            if (way != the_end && graph_.sender(edge(way)) == problem_.role)
                suggest(Position::on_edge, way, graph_.receiver(edge(way)), problem_.role);
        std::set<VarId> asked;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (const GuardPart& part : e.guards)
                for (VarId v : graph_.pool->variables_of(part.condition)) asked.insert(v);
        for (VarId v : asked) {
            auto known = owners(v);
            if (std::find(known.begin(), known.end(), problem_.role) != known.end()) continue;
            for (RoleId owner : known) suggest(Position::at_state, the_end, owner, problem_.role, v);
        }
        // Where it has heard of the way already, hearing of the other one is what is left.
        for (bool heard : {false, true})
            for (GraphEdgeId way : {problem_.other, problem_.edge})
                if (way != the_end && hears_of(problem_.state, way) == heard)
                    tell_behind(problem_.state, way);
        std::vector<RoleId> tellers;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (RoleId r : {graph_.sender(e), graph_.receiver(e)})
                if (std::find(tellers.begin(), tellers.end(), r) == tellers.end()) tellers.push_back(r);
        for (RoleId teller : tellers)
            for (GraphEdgeId way : {problem_.other, problem_.edge}) {
                if (way == the_end)
                    suggest(Position::at_end, the_end, teller, problem_.role);
                else
                    suggest(Position::on_edge, way, teller, problem_.role);
            }
    }
    // Both branches begin with the same event: nothing after it can tell them apart.
    bool same_event() const {
        return problem_.edge != the_end && problem_.other != the_end &&
               edge(problem_.edge).label == edge(problem_.other).label;
    }
    // The rival hears of the way from the role itself, once that has heard of it; or it tells the role.
    void make_rival_wait(GraphStateId s, GraphEdgeId e) {
        auto has_part = [&](RoleId role, const GraphEdge& taken) {
            return graph_.sender(taken) == role || graph_.receiver(taken) == role;
        };
        for (std::size_t steps = 0; steps < max_behind; ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            if (has_part(problem_.role, taken)) {
                suggest(Position::behind_edge, s, e, problem_.role, problem_.rival);
                return;
            }
            if (has_part(problem_.rival, taken))
                suggest(Position::behind_edge, s, e, problem_.rival, problem_.role);
            const auto& next = graph_.states[taken.target].out;
            if (next.size() != 1) return;
            s = taken.target;
            e = GraphEdgeId(0u);
        }
    }
    bool hears_of(GraphStateId s, GraphEdgeId e) const {
        for (std::size_t steps = 0; steps < graph_.states.size(); ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            if (graph_.sender(taken) == problem_.role) return false;  // what it hears later comes too late
            if (taken.added && graph_.receiver(taken) == problem_.role) return true;
            const auto& next = graph_.states[taken.target].out;
            if (next.size() != 1 || !next.front().added) return false;
            s = taken.target;
            e = GraphEdgeId(0u);
        }
        return false;
    }
    // After the edge, and after the only edge that follows it.
    void tell_behind(GraphStateId s, GraphEdgeId e) {
        for (std::size_t steps = 0; steps < max_behind; ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            for (RoleId teller : {graph_.sender(taken), graph_.receiver(taken)})
                suggest(Position::behind_edge, s, e, teller, problem_.role);
            const auto& next = graph_.states[taken.target].out;
            if (next.size() != 1) return;
            s = taken.target;
            e = GraphEdgeId(0u);
        }
    }

    const SymbolicGraph& graph_;
    CommunicationMode mode_;
    Problem problem_;
    const std::vector<RoleId>& roles_;
    const Knowledge& known_;
    std::vector<Addition> out_;
};

// All positions, without who and what.
std::vector<Addition> every_position(const SymbolicGraph& graph) {
    std::vector<Addition> out;
    auto add = [&](Position position, GraphStateId s, GraphEdgeId e) {
        Addition a;
        a.position = position;
        a.state = s;
        a.edge = e;
        find_place(graph, a);
        out.push_back(std::move(a));
    };
    for (GraphStateId s : graph.states.ids()) {
        add(Position::at_state, s, the_end);
        for (GraphEdgeId e : graph.states[s].out.ids()) {
            // With one continuation, before the edge is before the state, but for who checks the guard.
            const GraphState& state = graph.states[s];
            if (state.out.size() > 1 || state.terminates || !state.out[e].guards.empty())
                add(Position::on_edge, s, e);
            add(Position::behind_edge, s, e);
        }
        if (graph.states[s].terminates && !graph.states[s].out.empty()) add(Position::at_end, s, the_end);
    }
    return out;
}

}  // namespace

void name_addition(Addition& a, std::size_t number) {
    std::string_view kind = a.why == Kind::order ? "order" : a.why == Kind::data ? "data" : "branch";
    a.message = fmt::format("added_{}{}", kind, number);
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
        case Position::at_state:
            next.out = std::move(here.out);
            next.node = here.node;
            next.terminates = here.terminates;
            draft.origins[fresh] = std::move(draft.origins[a.state]);
            here.terminates = {};
            here.out.clear();
            here.out.push_back(std::move(edge));
            draft.origins[a.state] = {{}};
            break;
        case Position::on_edge: {
            GraphEdge& old = here.out[a.edge];
            edge.guards = std::move(old.guards);
            old.guards.clear();
            next.out.push_back(std::move(old));
            draft.origins[fresh].push_back({});
            here.out[a.edge] = std::move(edge);
            break;
        }
        case Position::behind_edge: {
            GraphEdge& old = here.out[a.edge];
            edge.target = old.target;
            old.target = fresh;
            next.out.push_back(std::move(edge));
            draft.origins[fresh].push_back({});
            break;
        }
        case Position::at_end:
            if (here.terminates && !graph.pool->is_true(here.terminates))
                edge.guards.push_back({here.terminates, {}});
            next.terminates = graph.pool->boolean(true);
            here.terminates = {};
            here.out.push_back(std::move(edge));
            draft.origins[a.state].push_back({draft.original[a.state], the_end, true});
            break;
    }
}

Advisor::Advisor(const Draft& draft, CommunicationMode mode)
    : graph_(draft.graph), mode_(mode), roles_(roles_of(draft.graph)), known_(graph_, roles_) {}

std::vector<Addition> Advisor::suggestions(const Problem& problem) {
    return Suggestions(graph_, mode_, problem, roles_, known_).all();
}

AdditionSpace::AdditionSpace(const Draft& draft) : places_(every_position(draft.graph)) {
    std::set<VarId> bound, sent;  // what somebody has a use for and not everybody knows
    for (const GraphState& state : draft.graph.states)
        for (const GraphEdge& edge : state.out)
            for (const model::Assignment& u : edge.updates) bound.insert(u.variable);
    auto used = [&](ExprId condition, std::span<const VarId> but) {
        for (VarId v : draft.graph.pool->variables_of(condition))
            if (bound.contains(v) && std::find(but.begin(), but.end(), v) == but.end()) sent.insert(v);
    };
    for (const GraphState& state : draft.graph.states) {
        for (const GraphEdge& edge : state.out) {
            for (const GuardPart& part : edge.guards) used(part.condition, {});
            if (edge.condition) used(edge.condition, draft.graph.payload_of(edge.label));
        }
        if (state.terminates) used(state.terminates, {});
    }
    for (VarId v : with_sources(draft.graph, {sent.begin(), sent.end()}))
        if (bound.contains(v)) sent.insert(v);
    std::vector<RoleId> roles = roles_of(draft.graph);
    for (RoleId from : roles)
        for (RoleId to : roles) {
            if (from == to) continue;
            sayings_.push_back({from, to, {}});
            for (VarId v : sent) sayings_.push_back({from, to, v});
        }
}

Addition AdditionSpace::at(std::size_t place, std::size_t saying) const {
    Addition a = places_[place];
    a.from = sayings_[saying].from;
    a.to = sayings_[saying].to;
    a.variable = sayings_[saying].variable;
    return a;
}

}  // namespace treaty::symbolic
