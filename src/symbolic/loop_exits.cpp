// On the symbolic graph of the protocol: a loop is a strongly connected part, a way out an edge that leaves
// it or an end. Paths are followed with every value named (path.h), so that what must be true at their
// beginning is one condition over the variables there.
#include "symbolic/loop_exits.h"

#include <algorithm>
#include <set>

#include "expr/comparison.h"
#include "symbolic/linear.h"
#include "symbolic/path.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"
#include "symbolic/stuck.h"

namespace treaty::symbolic {
namespace {

using solve::Satisfiable;

constexpr std::size_t most_states = 2000, most_paths = 60, longest_path = 40;
constexpr std::chrono::milliseconds patience{3000};

using Part = std::set<GraphStateId>;

// The strongly connected parts that have an edge inside: by what can be reached from each state and back.
class Parts {
public:
    explicit Parts(const SymbolicGraph& graph) : graph_(graph), before_(graph.states.size()) {
        for (GraphStateId s : graph.states.ids())
            for (const GraphEdge& edge : graph.states[s].out) before_[edge.target.index].push_back(s);
    }

    std::vector<Part> loops() const {
        std::vector<Part> found;
        std::vector<bool> done(graph_.states.size());
        for (GraphStateId s : graph_.states.ids()) {
            if (done[s.index]) continue;
            Part part;
            std::vector<bool> onwards = reach(s, true), back = reach(s, false);
            for (GraphStateId t : graph_.states.ids())
                if (onwards[t.index] && back[t.index]) part.insert(t);
            for (GraphStateId t : part) done[t.index] = true;
            if (!part.empty()) found.push_back(std::move(part));
        }
        return found;
    }

    // By state: whether it is reached from this one by at least one edge.
    std::vector<bool> reach(GraphStateId from, bool onwards) const {
        std::vector<bool> reached(graph_.states.size());
        std::vector<GraphStateId> open{from};
        auto add = [&](GraphStateId s) {
            if (reached[s.index]) return;
            reached[s.index] = true;
            open.push_back(s);
        };
        while (!open.empty()) {
            GraphStateId at = open.back();
            open.pop_back();
            if (onwards)
                for (const GraphEdge& edge : graph_.states[at].out) add(edge.target);
            else
                for (GraphStateId s : before_[at.index]) add(s);
        }
        return reached;
    }

private:
    const SymbolicGraph& graph_;
    std::vector<std::vector<GraphStateId>> before_;
};

class Loops {
public:
    Loops(const SymbolicGraph& graph, solve::Solver& solver, const base::Deadline& deadline)
        : graph_(graph),
          parts_(graph),
          logic_(*graph.pool, solver),
          reach_(reachability(graph, solver, {6, deadline})),
          deadline_(deadline) {}

    std::optional<EndlessLoop> find() {
        for (const Part& part : parts_.loops()) {
            if (!awaited(part) || !decided_by_data(part) || !has_exit(part)) continue;
            if (can_be_left(part) || becomes_smaller(part)) continue;
            if (deadline_.passed()) return std::nullopt;
            return EndlessLoop{step_of(part), "whether this loop ends depends on its data"};
        }
        return std::nullopt;
    }

private:
    struct Way {
        NamedPath path;
        ExprId ends;  // leaves by the end of the conversation where this holds; none: by its last edge
    };

    // What holds of the variables wherever a run comes to this state.
    ExprId known_at(GraphStateId s) {
        if (ExprId known = reach_.conditions[s]) return known;
        return reach_.complete ? logic_.no() : logic_.yes();
    }

    model::NodeId step_of(const Part& part) const {
        for (GraphStateId s : part)
            for (const GraphEdge& edge : graph_.states[s].out)
                if (part.contains(edge.target) && edge.node) return edge.node;
        return {};
    }

    void add_roles(const GraphEdge& edge, std::set<model::RoleId>& roles) const {
        roles.insert(graph_.sender(edge));
        roles.insert(graph_.receiver(edge));
    }

    // Whether a role has a step after the loop and none in it.
    bool awaited(const Part& part) const {
        std::set<model::RoleId> inside, after;
        std::vector<bool> reached = parts_.reach(*part.begin(), true);
        for (GraphStateId s : graph_.states.ids()) {
            if (!reached[s.index]) continue;
            for (const GraphEdge& edge : graph_.states[s].out)
                add_roles(edge, part.contains(s) && part.contains(edge.target) ? inside : after);
        }
        return !std::includes(inside.begin(), inside.end(), after.begin(), after.end());
    }

    // Without a condition, a loop can be left as a choice can, or cannot be left at all, which the machines
    // show.
    bool decided_by_data(const Part& part) const {
        for (GraphStateId s : part) {
            if (graph_.states[s].terminates && !graph_.pool->is_true(graph_.states[s].terminates))
                return true;
            for (const GraphEdge& edge : graph_.states[s].out)
                if (!edge.guards.empty() || edge.condition) return true;
        }
        return false;
    }

    bool has_exit(const Part& part) const {
        return std::any_of(part.begin(), part.end(), [&](GraphStateId s) {
            const auto& out = graph_.states[s].out;
            return graph_.states[s].terminates ||
                   std::any_of(out.begin(), out.end(),
                               [&](const GraphEdge& edge) { return !part.contains(edge.target); });
        });
    }

    // The ways out of a part, from one of its states; each state occurs twice at most.
    void ways_out(const Part& part, GraphStateId at, NamedPath path, std::vector<Way>& ways) const {
        if (ways.size() >= most_paths || path.steps.size() >= longest_path) return;
        auto visits = std::count_if(path.steps.begin(), path.steps.end(),
                                    [&](const NamedPath::Step& step) { return step.state == at; });
        if (visits >= 2) return;
        if (ExprId ends = graph_.states[at].terminates)
            ways.push_back({path, expr::substitute(*graph_.pool, ends, path.values)});
        for (bool leaving : {true, false})  // the shortest first
            for (GraphEdgeId e : graph_.states[at].out.ids()) {
                GraphStateId next = graph_.states[at].out[e].target;
                if (part.contains(next) == leaving) continue;
                NamedPath longer = path;
                extend(graph_, longer, at, e);
                if (leaving)
                    ways.push_back({std::move(longer), {}});
                else
                    ways_out(part, next, std::move(longer), ways);
            }
    }

    bool can_be_left(const Part& part) {
        return std::all_of(part.begin(), part.end(), [&](GraphStateId s) {
            if (deadline_.passed()) return false;
            std::vector<Way> ways;
            ways_out(part, s, {}, ways);
            std::vector<Offer> offers;
            for (const Way& way : ways) {
                std::vector<ExprId> all = way.path.meant;
                if (way.ends) all.push_back(way.ends);
                Offer& offer = offers.emplace_back(Offer{logic_.all_of(std::move(all)), {}});
                for (const NamedPath::Step& step : way.path.steps)
                    offer.chosen.insert(offer.chosen.end(), step.carried.begin(), step.carried.end());
            }
            return StuckSearch(logic_, std::move(offers), deadline_).find(known_at(s)).satisfiable ==
                   Satisfiable::no;
        });
    }

    // The rounds from a state back to it, through no state twice; false if there are too many.
    bool rounds(const Part& part, GraphStateId home, GraphStateId at, NamedPath path,
                std::vector<NamedPath>& found) const {
        for (GraphEdgeId e : graph_.states[at].out.ids()) {
            GraphStateId next = graph_.states[at].out[e].target;
            if (!part.contains(next)) continue;
            if (found.size() >= most_paths || path.steps.size() >= longest_path) return false;
            bool again = std::any_of(path.steps.begin(), path.steps.end(),
                                     [&](const NamedPath::Step& step) { return step.state == next; });
            if (again && next != home) return false;  // a loop inside, which does not come by here
            NamedPath longer = path;
            extend(graph_, longer, at, e);
            if (next == home)
                found.push_back(std::move(longer));
            else if (!rounds(part, home, next, std::move(longer), found))
                return false;
        }
        return true;
    }

    // Numbers that the conditions of the rounds compare: the greater one less the smaller one. Values that
    // are sent in a round, whose variables were declared after `own` others, are other ones in the next.
    std::vector<ExprId> measures(const std::vector<NamedPath>& found, std::size_t own) {
        std::vector<ExprId> all;
        expr::Pool& pool = logic_.pool();
        for (const NamedPath& round : found)
            for (ExprId condition : round.meant)
                for (ExprId atom : logic_.atoms(logic_.negation_free(condition))) {
                    if (!expr::is_comparison(pool[atom].op)) continue;
                    auto sides = pool.children(atom);
                    ExprId a = sides[0], b = sides[1];
                    bool integers = pool.types().kind(pool[a].type) == expr::TypeKind::integer &&
                                    pool.types().kind(pool[b].type) == expr::TypeKind::integer;
                    auto variables = pool.variables_of(atom);
                    bool lasting = std::all_of(variables.begin(), variables.end(),
                                               [&](VarId v) { return v.index < own; });
                    if (!integers || !lasting) continue;
                    for (ExprId measure : {minus(pool, a, b), minus(pool, b, a)})
                        if (std::find(all.begin(), all.end(), measure) == all.end()) all.push_back(measure);
                }
        return all;
    }

    bool impossible(const NamedPath& round, ExprId also) {
        std::vector<ExprId> all = round.meant;
        all.push_back(known_at(round.steps.front().state));
        all.push_back(also);
        return logic_.solver().check(logic_.all_of(std::move(all))).satisfiable == Satisfiable::no;
    }

    bool becomes_smaller(const Part& part) {
        expr::Pool& pool = logic_.pool();
        for (GraphStateId home : part) {
            std::vector<NamedPath> found;
            if (deadline_.passed()) return false;
            std::size_t own = pool.variable_count();
            if (!rounds(part, home, home, {}, found) || found.empty()) continue;
            for (ExprId measure : measures(found, own)) {
                bool smaller = std::all_of(found.begin(), found.end(), [&](const NamedPath& round) {
                    ExprId after = expr::substitute(pool, measure, round.values);
                    return !deadline_.passed() &&
                           impossible(round, compare(pool, expr::Op::less, measure, pool.integer(0))) &&
                           impossible(round, compare(pool, expr::Op::greater_equal, after, measure));
                });
                if (smaller) return true;
            }
        }
        return false;
    }

    const SymbolicGraph& graph_;
    Parts parts_;
    Logic logic_;
    Reachability reach_;
    base::Deadline deadline_;
};

}  // namespace

std::optional<EndlessLoop> find_endless_loop(const SymbolicGraph& graph, solve::Solver& solver,
                                             const base::Deadline& deadline) {
    return Loops(graph, solver, deadline).find();
}

std::optional<EndlessLoop> find_endless_loop(const model::Specification& specification,
                                             const model::Protocol& protocol,
                                             const base::Deadline& deadline) {
    base::Deadline part = deadline.part_of_work(patience);
    GraphLimits limits;
    limits.states = most_states;
    limits.deadline = part;
    GraphResult graph = protocol_graph(specification, protocol, limits);
    if (!graph) return std::nullopt;
    solve::Solver solver(*graph->pool, std::chrono::milliseconds(500));
    return find_endless_loop(*graph, solver, part);
}

}  // namespace treaty::symbolic
