#include "repair/suggest.h"

#include <algorithm>
#include <set>

namespace treaty::repair {
namespace {

using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphStateId;
using model::GuardPart;
using model::RoleId;
using model::SymbolicGraph;
using symbolic::CommunicationMode;
using symbolic::connected;
using symbolic::Knowledge;
using symbolic::Parties;
using symbolic::the_end;
using Kind = Problem::Kind;
using Position = Addition::Position;

constexpr std::size_t max_steps_until_told = 4;  // interactions between a decision and the message about it

// What problems of a draft call for, most promising first.
class Collector {
public:
    Collector(const SymbolicGraph& graph, CommunicationMode mode, const Problem& problem,
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
        find_neighbour(graph_, a);
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
                suggest(Position::after_edge, problem_.before, problem_.before_edge, link.from, link.to);
        for (Parties link : links) suggest(Position::before_edge, problem_.edge, link.from, link.to);
        if (graph_.states[problem_.state].out.size() > 1)
            for (Parties link : links) suggest(Position::before_state, the_end, link.from, link.to);
        for (Parties link : links)
            suggest(Position::after_edge, problem_.before, problem_.before_edge, link.from, link.to);
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
        // The role that sends next is the natural one to inform others first.
        std::stable_partition(out.begin(), out.end(), [&](RoleId r) {
            const auto& next = graph_.states[problem_.state].out;
            return std::any_of(next.begin(), next.end(),
                               [&](const GraphEdge& e) { return graph_.sender(e) == r; });
        });
        return out;
    }

    void data() {
        for (RoleId owner : owners(problem_.variable)) {
            suggest(Position::before_state, the_end, owner, problem_.role, problem_.variable);
            suggest(Position::before_edge, problem_.edge, owner, problem_.role, problem_.variable);
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
                suggest(Position::before_edge, e, r, graph_.sender(edge(e)));
                if (mode_ == CommunicationMode::sync)
                    suggest(Position::before_edge, e, r, graph_.receiver(edge(e)));
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
            suggest(Position::before_edge, problem_.other, graph_.sender(edge(problem_.other)),
                    graph_.receiver(edge(problem_.other)));
        // A role that begins a branch without deciding on it is asked to do so, by its partner.
        for (GraphEdgeId way : {problem_.other, problem_.edge})
            if (way != the_end && graph_.sender(edge(way)) == problem_.role)
                suggest(Position::before_edge, way, graph_.receiver(edge(way)), problem_.role);
        std::set<VarId> asked;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (const GuardPart& part : e.guards)
                for (VarId v : graph_.pool->variables_of(part.condition)) asked.insert(v);
        for (VarId v : asked) {
            auto known = owners(v);
            if (std::find(known.begin(), known.end(), problem_.role) != known.end()) continue;
            for (RoleId owner : known) suggest(Position::before_state, the_end, owner, problem_.role, v);
        }
        // First the branches of which it does not learn yet: if it learns of one, only the other is missing.
        for (bool heard : {false, true})
            for (GraphEdgeId way : {problem_.other, problem_.edge})
                if (way != the_end && hears_of(problem_.state, way) == heard) tell_after(problem_.state, way);
        std::vector<RoleId> tellers;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (RoleId r : {graph_.sender(e), graph_.receiver(e)})
                if (std::find(tellers.begin(), tellers.end(), r) == tellers.end()) tellers.push_back(r);
        for (RoleId teller : tellers)
            for (GraphEdgeId way : {problem_.other, problem_.edge}) {
                if (way == the_end)
                    suggest(Position::before_end, the_end, teller, problem_.role);
                else
                    suggest(Position::before_edge, way, teller, problem_.role);
            }
    }
    // Both branches begin with the same event: nothing after it can tell them apart.
    bool same_event() const {
        return problem_.edge != the_end && problem_.other != the_end &&
               edge(problem_.edge).label == edge(problem_.other).label;
    }
    // The rival learns of the branch from the role itself, once the role knows it; or it informs the role.
    void make_rival_wait(GraphStateId s, GraphEdgeId e) {
        auto has_part = [&](RoleId role, const GraphEdge& taken) {
            return graph_.sender(taken) == role || graph_.receiver(taken) == role;
        };
        for (std::size_t steps = 0; steps < max_steps_until_told; ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            if (has_part(problem_.role, taken)) {
                suggest(Position::after_edge, s, e, problem_.role, problem_.rival);
                return;
            }
            if (has_part(problem_.rival, taken))
                suggest(Position::after_edge, s, e, problem_.rival, problem_.role);
            const auto& next = graph_.states[taken.target].out;
            if (next.size() != 1) return;
            s = taken.target;
            e = GraphEdgeId(0u);
        }
    }
    bool hears_of(GraphStateId s, GraphEdgeId e) const {
        for (std::size_t steps = 0; steps < graph_.states.size(); ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            if (graph_.sender(taken) == problem_.role) return false;  // a later message comes too late
            if (taken.added && graph_.receiver(taken) == problem_.role) return true;
            const auto& next = graph_.states[taken.target].out;
            if (next.size() != 1 || !next.front().added) return false;
            s = taken.target;
            e = GraphEdgeId(0u);
        }
        return false;
    }
    // After the edge, and after the only edge that follows it.
    void tell_after(GraphStateId s, GraphEdgeId e) {
        for (std::size_t steps = 0; steps < max_steps_until_told; ++steps) {
            const GraphEdge& taken = graph_.states[s].out[e];
            for (RoleId teller : {graph_.sender(taken), graph_.receiver(taken)})
                suggest(Position::after_edge, s, e, teller, problem_.role);
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

}  // namespace

Advisor::Advisor(const Draft& draft, CommunicationMode mode)
    : graph_(draft.graph), mode_(mode), roles_(symbolic::roles_of(draft.graph)), known_(graph_, roles_) {}

std::vector<Addition> Advisor::suggestions(const Problem& problem) const {
    return Collector(graph_, mode_, problem, roles_, known_).all();
}

}  // namespace treaty::repair
