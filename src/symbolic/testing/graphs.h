// For tests: random graphs over small ranges, and the same questions answered by running on all values.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "model/symbolic_graph.h"
#include "symbolic/import_graph.h"
#include "symbolic/realizability.h"

namespace treaty::symbolic::testing {

constexpr std::int64_t values = 3;  // 0, 1, 2

class RandomGraphs {
public:
    explicit RandomGraphs(std::uint64_t seed) : random(seed), meeting(Meeting::fresh()) {
        small = meeting.pool->types().integer(0, values - 1);
        for (const char* name : {"A", "B", "C"}) roles.push_back(meeting.alphabet->role(name));
        for (const char* name : {"m", "n", "o"}) {
            auto message = meeting.alphabet->message(name);
            meeting.payload[message] = {variable(std::string("data_") + name)};
            messages.push_back(message);
        }
    }

    std::mt19937_64 random;
    Meeting meeting;
    expr::TypeId small;
    std::vector<model::RoleId> roles;
    std::vector<model::MessageId> messages;

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }
    bool percent(std::uint32_t p) { return below(100) < p; }
    VarId variable(const std::string& name) {
        return meeting.pool->declare(meeting.pool->names().intern(name), small);
    }
    ExprId condition(const std::vector<VarId>& over) {
        expr::Pool& pool = *meeting.pool;
        ExprId left = pool.var(over[below(static_cast<std::uint32_t>(over.size()))]);
        ExprId right = percent(60) ? pool.integer(below(values))
                                   : pool.var(over[below(static_cast<std::uint32_t>(over.size()))]);
        expr::Op ops[] = {expr::Op::less, expr::Op::less_equal, expr::Op::equal, expr::Op::not_equal};
        ExprId parts[] = {left, right};
        return pool.make(ops[below(4)], pool.types().boolean(), parts);
    }

    // Over two variables of its own; silent steps if wanted.
    SymbolicGraph graph(std::uint32_t states, std::uint32_t edges, bool silent, std::uint32_t guards,
                        std::uint32_t roles_used = 2) {
        SymbolicGraph g;
        g.pool = meeting.pool;
        g.alphabet = meeting.alphabet;
        g.payload = meeting.payload;
        g.states.resize(states);
        std::vector<VarId> own{variable("x"), variable("y")};
        for (std::uint32_t i = 0; i < edges; ++i) {
            GraphStateId from(i < states - 1 ? below(i + 1) : below(states));
            GraphStateId to(i < states - 1 ? i + 1 : below(states));
            GraphEdge edge = event(g, own, silent && percent(25), roles_used);
            edge.target = to;
            if (percent(guards)) edge.guards.push_back({condition(own), {}});
            g.states[from].out.push_back(edge);
        }
        for (GraphState& state : g.states) {
            if (state.out.empty() || percent(15)) state.terminates = g.pool->boolean(true);
            if (!state.out.empty() && percent(10)) state.terminates = condition(own);
        }
        return g;
    }

    // Over y, which nobody sets, and x. If x is read, then the only step from state 0 binds it: nothing is
    // read before it has a value. It ends where nothing is left to do.
    SymbolicGraph protocol(std::uint32_t states, std::uint32_t edges) {
        SymbolicGraph g;
        g.pool = meeting.pool;
        g.alphabet = meeting.alphabet;
        g.payload = meeting.payload;
        g.states.resize(states);
        VarId x = variable("x"), y = variable("y");
        bool bound_first = percent(60);
        std::vector<VarId> set{x}, read{y};
        if (bound_first) read.push_back(x);
        for (std::uint32_t i = 0; i < edges; ++i) {
            std::uint32_t first = bound_first && i > 0 ? 1 : 0;
            GraphStateId from(first + below((i < states - 1 ? i + 1 : states) - first));
            GraphStateId to(i < states - 1 ? i + 1 : below(states));
            bool binds_now = bound_first && i == 0;
            GraphEdge edge = event(g, set, binds_now ? std::vector<VarId>{y} : read, 3, binds_now ? 100 : 40);
            edge.target = to;
            if (!binds_now && percent(35)) edge.guards.push_back({condition(read), {}});
            g.states[from].out.push_back(edge);
        }
        for (GraphState& state : g.states)
            if (state.out.empty()) state.terminates = g.pool->boolean(true);
        return g;
    }

    GraphEdge event(SymbolicGraph& g, const std::vector<VarId>& own, bool silent, std::uint32_t roles_used) {
        if (!silent) return event(g, own, own, roles_used, 50);
        GraphEdge edge;
        edge.label = g.alphabet->silent();
        if (percent(30)) edge.updates.push_back({any(own), g.pool->integer(below(values))});
        return edge;
    }

    // Binds one variable, carries the value of one, or carries anything.
    GraphEdge event(SymbolicGraph& g, const std::vector<VarId>& set, const std::vector<VarId>& read,
                    std::uint32_t roles_used, std::uint32_t binding) {
        GraphEdge edge;
        std::uint32_t from = below(roles_used);
        edge.label = g.alphabet->interaction(
            roles[from], roles[(from + 1 + below(roles_used - 1)) % roles_used], messages[below(3)]);
        std::vector<model::Argument> arguments(1);
        if (percent(binding))
            arguments[0].bind = any(set);
        else if (percent(60))
            arguments[0].value = g.pool->var(any(read));
        set_data(g, edge, arguments, {}, {});
        return edge;
    }

private:
    VarId any(const std::vector<VarId>& some) { return some[below(static_cast<std::uint32_t>(some.size()))]; }
};

// A state with the values of all variables.
struct Config {
    GraphStateId state;
    std::vector<std::int64_t> value;  // by position in the list of variables
    auto operator<=>(const Config&) const = default;
};

class Explicit {
public:
    explicit Explicit(const SymbolicGraph& graph) : graph_(graph) {
        std::set<VarId> all;
        for (const GraphState& s : graph.states) {
            add(s.terminates, all);
            for (const GraphEdge& e : s.out) {
                for (const GuardPart& part : e.guards) add(part.condition, all);
                add(e.condition, all);
                for (const auto& u : e.updates) {
                    all.insert(u.variable);
                    add(u.value, all);
                }
            }
        }
        for (const auto& [message, variables] : graph.payload)
            for (VarId v : variables) all.erase(v);
        variables_.assign(all.begin(), all.end());
    }

    const std::vector<VarId>& variables() const { return variables_; }

    std::vector<Config> starts() const {
        std::vector<Config> all{{SymbolicGraph::initial, {}}};
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            std::vector<Config> next;
            for (const Config& c : all)
                for (std::int64_t v = 0; v < values; ++v) {
                    next.push_back(c);
                    next.back().value.push_back(v);
                }
            all = std::move(next);
        }
        return all;
    }

    bool ends(const Config& c) const {
        ExprId e = graph_.states[c.state].terminates;
        return e && holds(e, c, {}, 0);
    }
    bool guard(const Config& c, const GraphEdge& e) const { return holds(graph_.guard(e), c, {}, 0); }
    bool data(const Config& c, const GraphEdge& e, std::int64_t z) const {
        return !e.condition || holds(e.condition, c, payload(e), z);
    }
    Config after(const Config& c, const GraphEdge& e, std::int64_t z) const {
        Config next = c;
        next.state = e.target;
        for (const auto& u : e.updates) {
            auto r = expr::evaluate(*graph_.pool, u.value, environment(c, payload(e), z));
            auto at = std::find(variables_.begin(), variables_.end(), u.variable) - variables_.begin();
            next.value[static_cast<std::size_t>(at)] = std::get<expr::Value>(r).integer();
        }
        return next;
    }
    const model::ByGraphEdge<GraphEdge>& out(const Config& c) const { return graph_.states[c.state].out; }

    expr::Environment environment(const Config& c, VarId z, std::int64_t value) const {
        expr::Environment e;
        for (std::size_t i = 0; i < variables_.size(); ++i) e.set(variables_[i], expr::Value(c.value[i]));
        if (z) e.set(z, expr::Value(value));
        return e;
    }

private:
    void add(ExprId e, std::set<VarId>& all) const {
        if (e)
            for (VarId v : graph_.pool->variables_of(e)) all.insert(v);
    }
    VarId payload(const GraphEdge& e) const {
        auto p = graph_.payload_of(e.label);
        return p.empty() ? VarId() : p[0];
    }
    bool holds(ExprId e, const Config& c, VarId z, std::int64_t value) const {
        return expr::satisfied(*graph_.pool, e, environment(c, z, value));
    }

    const SymbolicGraph& graph_;
    std::vector<VarId> variables_;
};

// All configurations that runs from the given ones come to, each with its distance.
inline std::map<Config, std::size_t> reached(const Explicit& graph, const std::vector<Config>& starts) {
    std::map<Config, std::size_t> seen;
    std::vector<Config> level = starts;
    for (std::size_t distance = 0; !level.empty(); ++distance) {
        std::vector<Config> next;
        for (const Config& c : level) {
            if (!seen.try_emplace(c, distance).second) continue;
            for (const GraphEdge& e : graph.out(c))
                for (std::int64_t z = 0; z < values; ++z)
                    if (graph.guard(c, e) && graph.data(c, e, z)) next.push_back(graph.after(c, e, z));
        }
        level = std::move(next);
    }
    return seen;
}

// Whether it can neither end nor do anything.
inline bool stuck(const Explicit& graph, const Config& c) {
    if (graph.ends(c)) return false;
    for (const GraphEdge& e : graph.out(c))
        for (std::int64_t z = 0; z < values; ++z)
            if (graph.guard(c, e) && graph.data(c, e, z)) return false;
    return true;
}

// Conformance by the words of the definition, on all pairs of configurations.
class ExplicitConformance {
public:
    ExplicitConformance(const Explicit& mine, const Explicit& theirs, const std::vector<Config>& my_starts,
                        const std::vector<Config>& their_starts)
        : mine_(mine), theirs_(theirs) {
        auto all_theirs = reached(theirs, their_starts);
        for (const auto& [a, distance] : reached(mine, my_starts))
            for (const auto& [b, other] : all_theirs) related_.insert({a, b});
        refine();
    }
    ExplicitConformance(const Explicit& mine, const Explicit& theirs, std::size_t my_states,
                        std::size_t their_states)
        : mine_(mine), theirs_(theirs) {
        for (const Config& a : all(mine, my_states))
            for (const Config& b : all(theirs, their_states)) related_.insert({a, b});
        refine();
    }
    bool related(const Config& a, const Config& b) const { return related_.contains({a, b}); }

private:
    void refine() {
        while (std::erase_if(related_, [&](const auto& p) { return !good(p.first, p.second); }) > 0) {
        }
    }
    static std::vector<Config> all(const Explicit& graph, std::size_t states) {
        std::vector<Config> out;
        for (Config c : graph.starts())
            for (std::size_t s = 0; s < states; ++s) {
                c.state = GraphStateId(s);
                out.push_back(c);
            }
        return out;
    }
    std::set<Config> silently(const Config& a) const {
        std::set<Config> seen{a};
        std::vector<Config> pending{a};
        while (!pending.empty()) {
            Config c = pending.back();
            pending.pop_back();
            for (const GraphEdge& e : mine_.out(c))
                if (e.label.index == 0 && mine_.guard(c, e) && seen.insert(mine_.after(c, e, 0)).second)
                    pending.push_back(mine_.after(c, e, 0));
        }
        return seen;
    }
    bool good(const Config& a, const Config& b) const {
        for (const GraphEdge& e : mine_.out(a)) {
            if (e.label.index == 0) {
                if (mine_.guard(a, e) && !related(mine_.after(a, e, 0), b)) return false;
                continue;
            }
            if (!mine_.guard(a, e)) continue;
            for (std::int64_t z = 0; z < values; ++z) {
                if (!mine_.data(a, e, z)) continue;
                bool matched = false;
                for (const GraphEdge& f : theirs_.out(b))
                    matched =
                        matched || (f.label == e.label && theirs_.guard(b, f) && theirs_.data(b, f, z) &&
                                    related(mine_.after(a, e, z), theirs_.after(b, f, z)));
                if (!matched) return false;
            }
        }
        if (mine_.ends(a) && !theirs_.ends(b)) return false;
        std::set<Config> reached = silently(a);
        if (theirs_.ends(b)) {
            bool ended = false;
            for (const Config& c : reached) ended = ended || (mine_.ends(c) && (c == a || related(c, b)));
            if (!ended) return false;
        }
        for (const GraphEdge& f : theirs_.out(b)) {
            if (!theirs_.guard(b, f)) continue;
            for (std::int64_t z = 0; z < values; ++z) {
                if (!theirs_.data(b, f, z)) continue;
                bool matched = false;
                for (const Config& c : reached) {
                    if (!(c == a) && !related(c, b)) continue;
                    for (const GraphEdge& e : mine_.out(c))
                        matched =
                            matched || (e.label == f.label && mine_.guard(c, e) && mine_.data(c, e, z) &&
                                        related(mine_.after(c, e, z), theirs_.after(b, f, z)));
                }
                if (!matched) return false;
            }
        }
        return true;
    }

    const Explicit& mine_;
    const Explicit& theirs_;
    std::set<std::pair<Config, Config>> related_;
};

// A graph without unreachable parts, and what is known of it.
struct Prepared {
    SymbolicGraph part;
    Reachability reach;
    GuardFacts facts;
};

inline Prepared prepared(const SymbolicGraph& graph, solve::Solver& solver) {
    SymbolicGraph part = reachable_part(graph, reachability(graph, solver));
    Reachability reach = reachability(part, solver);
    GuardFacts facts = guard_facts(part, reach, solver);
    return {std::move(part), std::move(reach), std::move(facts)};
}

}  // namespace treaty::symbolic::testing
