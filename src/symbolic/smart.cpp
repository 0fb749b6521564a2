#include "symbolic/smart.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/check.h"

namespace treaty::symbolic {
namespace {

using model::RoleId;
using Position = Addition::Position;
using Kind = Problem::Kind;

GraphEdge added_edge(Graph& graph, const Addition& a) {
    model::Alphabet& alphabet = *graph.alphabet;
    GraphEdge edge;
    edge.label = alphabet.interaction(a.from, a.to, alphabet.message(a.message));
    edge.added = true;
    if (a.variable) {
        model::Argument argument;
        argument.value = graph.pool->var(a.variable);
        set_data(graph, edge, std::span(&argument, 1), {}, {});
    }
    return edge;
}

// What problems of a draft call for, most promising first.
class Suggestions {
public:
    Suggestions(const Draft& draft, CommunicationMode mode, const Problem& problem)
        : graph_(draft.graph), mode_(mode), problem_(problem), roles_(roles_of(draft.graph)) {}

    std::vector<Addition> all(const GuardFacts&) {
        switch (problem_.kind) {
            case Kind::order: order(); break;
            case Kind::data: data(); break;
            case Kind::deciders: deciders(); break;
            case Kind::untold: untold(); break;
        }
        return std::move(out_);
    }

private:
    const GraphEdge& edge(std::size_t e) const { return graph_.states[problem_.state].out[e]; }
    Parties parties(const GraphEdge& e) const { return {graph_.sender(e), graph_.receiver(e)}; }

    void suggest(Position position, std::size_t e, RoleId from, RoleId to, VarId variable = {}) {
        if (from == to) return;
        Addition a;
        a.position = position;
        a.state = problem_.state;
        a.edge = e;
        a.from = from;
        a.to = to;
        a.variable = variable;
        a.why = problem_.kind;
        const GraphState& state = graph_.states[problem_.state];
        if (position == Position::at_end) {
            out_.push_back(std::move(a));
            return;
        }
        const GraphEdge* behind = position == Position::on_edge ? &edge(e)
                                  : state.out.size() == 1       ? &state.out[0]
                                                                : nullptr;
        a.node = position == Position::on_edge ? edge(e).node : state.node;
        if (behind && behind->added) {
            a.node = behind->node;
            a.before = graph_.alphabet->name(graph_.alphabet->event(behind->label).message);
        }
        out_.push_back(std::move(a));
    }

    void order() {
        Parties first = parties(graph_.states[problem_.before].out[problem_.before_edge]);
        Parties second = parties(edge(problem_.edge));
        std::vector<Parties> links;
        for (RoleId x : {first.to, first.from})
            for (RoleId y : {second.from, second.to})
                for (Parties link : {Parties{x, y}, Parties{y, x}}) {
                    if (link.from == link.to || !connected(mode_, first, link) ||
                        !connected(mode_, link, second))
                        continue;
                    links.push_back(link);
                }
        for (Parties link : links) suggest(Position::on_edge, problem_.edge, link.from, link.to);
        if (graph_.states[problem_.state].out.size() > 1)
            for (Parties link : links) suggest(Position::at_state, 0, link.from, link.to);
    }

    std::vector<RoleId> owners(VarId v) {
        auto known = known_variables(graph_, roles_);
        std::vector<RoleId> out;
        for (std::size_t r = 0; r < roles_.size(); ++r) {
            const auto& set = known[problem_.state][r];
            if (std::binary_search(set.begin(), set.end(), v)) out.push_back(roles_[r]);
        }
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
            suggest(Position::at_state, 0, owner, problem_.role, problem_.variable);
            suggest(Position::on_edge, problem_.edge, owner, problem_.role, problem_.variable);
        }
    }

    // The role that has a part in most ways on, first.
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
            for (std::size_t e : {problem_.edge, problem_.other}) {
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

    void untold() {
        std::set<VarId> asked;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (const GuardPart& part : e.guards)
                for (VarId v : graph_.pool->variables_of(part.condition)) asked.insert(v);
        for (VarId v : asked) {
            auto known = owners(v);
            if (std::find(known.begin(), known.end(), problem_.role) != known.end()) continue;
            for (RoleId owner : known) suggest(Position::at_state, 0, owner, problem_.role, v);
        }
        // The role that decides first: it sends most ways on.
        std::vector<RoleId> tellers;
        for (const GraphEdge& e : graph_.states[problem_.state].out)
            for (RoleId r : {graph_.sender(e), graph_.receiver(e)})
                if (std::find(tellers.begin(), tellers.end(), r) == tellers.end()) tellers.push_back(r);
        for (RoleId teller : tellers)
            for (std::size_t way : {problem_.other, problem_.edge}) {
                if (way == the_end)
                    suggest(Position::at_end, 0, teller, problem_.role);
                else
                    suggest(Position::on_edge, way, teller, problem_.role);
            }
    }

    const Graph& graph_;
    CommunicationMode mode_;
    Problem problem_;
    std::vector<RoleId> roles_;
    std::vector<Addition> out_;
};

class Repairer {
public:
    Repairer(const Graph& graph, const GuardFacts& facts, CommunicationMode mode, const RepairLimits& limits)
        : start_(graph), facts_(facts), mode_(mode), limits_(limits) {}

    Repair run() {
        Repair result;
        result.problems = find_problems(start_, facts_, mode_);
        Draft best = start_;
        bool small = start_.graph.edge_count() <= limits_.small;
        result.realizable = small ? greedy(best, result.additions) : by_rule(best, result.additions);
        result.minimal = result.additions.empty();
        if (small && result.realizable && !result.additions.empty()) {
            bool all_tried = true;
            std::size_t most = result.additions.size();
            for (std::size_t k = 1; k < most; ++k) {
                std::vector<Addition> chosen;
                Draft draft = start_;
                checks_ = 0;
                everywhere_ = affordable(k);
                Tried tried = fewer(draft, k, chosen);
                all_tried = all_tried && everywhere_ && tried != Tried::cut;
                if (tried != Tried::found) continue;
                result.additions = chosen;
                best = std::move(found_draft_);
                break;
            }
            result.minimal = all_tried;
        }
        result.graph = std::move(best.graph);
        return result;
    }

private:
    enum class Tried : std::uint8_t { found, none, cut };

    void name(Addition& a, std::size_t position) const {
        std::string_view kind = a.why == Kind::order ? "order" : a.why == Kind::data ? "data" : "branch";
        a.message = fmt::format("added_{}{}", kind, position + 1);
    }

    // One problem at a time, by the addition that leaves the fewest.
    bool greedy(Draft& draft, std::vector<Addition>& additions) {
        for (std::size_t rounds = 0; rounds < 500; ++rounds) {
            auto problems = find_problems(draft, facts_, mode_);
            if (problems.empty()) return true;
            if (limits_.deadline.passed()) return false;
            std::size_t fewest = std::numeric_limits<std::size_t>::max();
            Addition chosen;
            Draft next = draft;
            for (Addition a : candidates(draft, facts_, mode_, problems.front())) {
                name(a, additions.size());
                Draft tried = draft;
                apply(tried, a);
                std::size_t left = find_problems(tried, facts_, mode_).size();
                if (left >= fewest) continue;
                fewest = left;
                chosen = a;
                next = std::move(tried);
            }
            if (fewest == std::numeric_limits<std::size_t>::max()) return false;
            additions.push_back(chosen);
            draft = std::move(next);
        }
        return false;
    }

    // The first suggestion for one problem of each state, round by round.
    bool by_rule(Draft& draft, std::vector<Addition>& additions) {
        for (std::size_t rounds = 0; rounds < 200; ++rounds) {
            auto problems = find_problems(draft, facts_, mode_);
            if (problems.empty()) return true;
            if (limits_.deadline.passed()) return false;
            std::set<Place> touched;
            bool any = false;
            for (const Problem& p : problems) {
                Place far = p.kind == Kind::order ? p.before : p.state;
                if (touched.contains(p.state) || touched.contains(far)) continue;
                auto suggested = candidates(draft, facts_, mode_, p);
                if (suggested.empty()) continue;
                touched.insert(p.state);
                touched.insert(far);
                name(suggested.front(), additions.size());
                apply(draft, suggested.front());
                additions.push_back(suggested.front());
                any = true;
            }
            if (!any) return false;
        }
        return false;
    }

    // Every addition anywhere: what a proof that fewer are not enough has to try.
    static std::vector<Addition> every_addition(const Draft& draft) {
        const Graph& graph = draft.graph;
        std::vector<RoleId> roles = roles_of(graph);
        auto known = known_variables(graph, roles);
        std::vector<Addition> out;
        for (Place s = 0; s < graph.states.size(); ++s)
            for (std::size_t e = 0; e < graph.states[s].out.size() + 2; ++e) {
                Addition a;
                a.state = s;
                a.edge = e;
                a.position = Position::on_edge;
                if (e == graph.states[s].out.size()) a.position = Position::at_state;
                if (e > graph.states[s].out.size()) a.position = Position::at_end;
                if (a.position == Position::at_end && !graph.states[s].terminates) continue;
                if (a.position == Position::on_edge) {
                    a.node = graph.states[s].out[e].node;
                    if (graph.states[s].out[e].added)
                        a.before =
                            graph.alphabet->name(graph.alphabet->event(graph.states[s].out[e].label).message);
                }
                if (a.position == Position::at_state) a.node = graph.states[s].node;
                for (std::size_t x = 0; x < roles.size(); ++x)
                    for (RoleId to : roles) {
                        if (to == roles[x]) continue;
                        a.from = roles[x];
                        a.to = to;
                        a.variable = {};
                        out.push_back(a);
                        for (VarId v : known[s][x]) {
                            a.variable = v;
                            out.push_back(a);
                        }
                    }
            }
        return out;
    }

    bool affordable(std::size_t k) const {
        std::size_t one = every_addition(start_).size(), all = 1;
        for (std::size_t i = 0; i < k; ++i) {
            if (one != 0 && all > limits_.checks / one) return false;
            all *= one;
        }
        return true;
    }

    Tried fewer(Draft& draft, std::size_t left, std::vector<Addition>& chosen) {
        if (++checks_ > limits_.checks || limits_.deadline.passed()) return Tried::cut;
        auto problems = find_problems(draft, facts_, mode_, 1);
        if (problems.empty()) {
            found_draft_ = draft;
            return Tried::found;
        }
        if (left == 0) return Tried::none;
        Tried result = Tried::none;
        for (Addition a :
             everywhere_ ? every_addition(draft) : candidates(draft, facts_, mode_, problems.front())) {
            name(a, chosen.size());
            Draft next = draft;
            apply(next, a);
            chosen.push_back(a);
            Tried tried = fewer(next, left - 1, chosen);
            if (tried == Tried::found) return tried;
            chosen.pop_back();
            if (tried == Tried::cut) result = tried;
            if (checks_ > limits_.checks) return Tried::cut;
        }
        return result;
    }

    Draft start_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    RepairLimits limits_;
    Draft found_draft_{Graph{}};
    std::size_t checks_ = 0;
    bool everywhere_ = false;
};

}  // namespace

void apply(Draft& draft, const Addition& a) {
    Graph& graph = draft.graph;
    GraphEdge edge = added_edge(graph, a);
    edge.node = a.node;
    auto fresh = static_cast<Place>(graph.states.size());
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
            draft.origins[a.state] = {{0, 0, false}};
            break;
        case Position::on_edge: {
            GraphEdge& old = here.out[a.edge];
            edge.guards = std::move(old.guards);
            old.guards.clear();
            next.out.push_back(std::move(old));
            draft.origins[fresh].push_back({0, 0, false});
            here.out[a.edge] = std::move(edge);
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

std::vector<Addition> candidates(const Draft& draft, const GuardFacts& facts, CommunicationMode mode,
                                 const Problem& problem) {
    return Suggestions(draft, mode, problem).all(facts);
}

Repair repair(const Graph& graph, const Reachability& reach, CommunicationMode mode, expr::Solver& solver,
              const RepairLimits& limits) {
    GuardFacts facts = guard_facts(graph, reach, solver);
    return Repairer(graph, facts, mode, limits).run();
}

}  // namespace treaty::symbolic
