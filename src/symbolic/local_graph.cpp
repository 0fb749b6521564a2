// The part of one role. Steps of others are absorbed: a state of the result is the set of places where the
// role may be, as far as its own events tell. On the path to a place the role may learn that it is not there:
// where it knows what the guard of such a step asks, the guard moves to the role's next event. What is
// computed on the path (`let x = e`) moves there too. So nothing is decided before there is something to do.

#include "symbolic/local_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "expr/simplify.h"
#include "symbolic/import_graph.h"
#include "symbolic/knowledge.h"
#include "symbolic/realizability.h"

namespace treaty::symbolic {
namespace {

using model::RoleId;
using Places = std::set<GraphStateId>;
using Computed = std::map<VarId, ExprId>;

// Beyond, paths are left out, and the projection does less than it might: composing it shows that.
constexpr std::size_t max_paths = 64;
// Receiving the same message under up to this many guards is distinguished case by case.
constexpr std::size_t max_told_apart = 5;

// How others may have brought the role to a place: what it knows to have held then, and what variables are
// worth by now, both over the values the role has.
struct Path {
    std::vector<ExprId> held;  // sorted
    Computed computed;
    friend bool operator==(const Path&, const Path&) = default;
};

// Some paths to one place, none of them implied by another.
class Paths {
public:
    const std::vector<Path>& all() const { return paths_; }

    bool add(expr::Pool& pool, Path path) {
        for (const Path& old : paths_)
            if (old.computed == path.computed && includes(path.held, old.held)) return false;
        if (paths_.size() >= max_paths) return false;
        std::erase_if(paths_, [&](const Path& old) {
            return old.computed == path.computed && includes(old.held, path.held);
        });
        for (const Path& old : paths_)
            if (auto both = either(pool, old, path)) return add(pool, std::move(*both));
        paths_.push_back(std::move(path));
        return true;
    }

private:
    static bool includes(const std::vector<ExprId>& all, const std::vector<ExprId>& some) {
        return std::includes(all.begin(), all.end(), some.begin(), some.end());
    }
    // Two paths that differ in one condition, which one has and the other excludes, are one without it.
    static std::optional<Path> either(expr::Pool& pool, const Path& a, const Path& b) {
        if (a.computed != b.computed || a.held.size() != b.held.size()) return std::nullopt;
        std::vector<ExprId> only_a, only_b;
        std::set_difference(a.held.begin(), a.held.end(), b.held.begin(), b.held.end(),
                            std::back_inserter(only_a));
        std::set_difference(b.held.begin(), b.held.end(), a.held.begin(), a.held.end(),
                            std::back_inserter(only_b));
        if (only_a.size() != 1 || expr::simplify(pool, pool.logical_not(only_a[0])) != only_b[0])
            return std::nullopt;
        Path both = a;
        std::erase(both.held, only_a[0]);
        return both;
    }

    std::vector<Path> paths_;
};

class Projector {
public:
    Projector(const SymbolicGraph& graph, RoleId role) : graph_(graph), role_(role) {
        RoleId roles[] = {role};
        known_ = Knowledge(graph, roles);
        out_.name = std::string(graph.alphabet->name(role));
        out_.pool = graph.pool;
        out_.alphabet = graph.alphabet;
        out_.payload = graph.payload;
        for (const GraphState& state : graph.states)
            for (const GraphEdge& edge : state.out)
                for (const auto& update : edge.updates) set_.insert(update.variable);
    }

    SymbolicGraph run() {
        state_of({graph_.initial});
        for (GraphStateId s = SymbolicGraph::initial; sets_.has(s); ++s.index) expand(s, reached(sets_[s]));
        name_states();
        return std::move(out_);
    }

private:
    using Reached = std::map<GraphStateId, Paths>;

    expr::Pool& pool() { return *out_.pool; }
    bool mine(const GraphEdge& e) const { return graph_.sender(e) == role_ || graph_.receiver(e) == role_; }
    bool knows(GraphStateId s, ExprId e) const {
        auto read = graph_.pool->variables_of(e);
        return std::all_of(read.begin(), read.end(), [&](VarId v) { return known_.knows(s, 0, v); });
    }
    ExprId now(ExprId e, const Path& path) {
        absl::flat_hash_map<VarId, ExprId> worth(path.computed.begin(), path.computed.end());
        return expr::simplify(pool(), expr::substitute(pool(), e, worth));
    }

    GraphStateId state_of(const Places& places) {
        auto [entry, fresh] = ids_.try_emplace(places, sets_.next_id());
        if (fresh) {
            sets_.push_back(places);
            out_.states.emplace_back();
        }
        return entry->second;
    }

    // Where the others may bring the role from these places without it.
    Reached reached(const Places& places) {
        Reached all;
        std::vector<std::pair<GraphStateId, Path>> pending;
        for (GraphStateId p : places) {
            all[p].add(pool(), {});
            pending.push_back({p, {}});
        }
        while (!pending.empty()) {
            auto [p, path] = std::move(pending.back());
            pending.pop_back();
            for (const GraphEdge& e : graph_.states[p].out) {
                if (mine(e)) continue;
                Path next = after(p, e, path);
                Paths& there = all[e.target];
                if (there.add(pool(), next)) pending.push_back({e.target, there.all().back()});
            }
        }
        return all;
    }

    Path after(GraphStateId p, const GraphEdge& e, const Path& path) {
        Path next = path;
        for (const GuardPart& part : e.guards)
            if (knows(p, part.condition)) next.held.push_back(now(part.condition, path));
        std::erase_if(next.held, [&](ExprId held) { return pool().is_true(held); });
        std::sort(next.held.begin(), next.held.end());
        next.held.erase(std::unique(next.held.begin(), next.held.end()), next.held.end());
        for (const auto& u : e.updates) {
            if (knows(p, u.value)) next.computed[u.variable] = now(u.value, path);
        }
        return next;
    }

    // The events that differ in guard and target only.
    struct Alike {
        LabelId label;
        ExprId condition;
        std::vector<std::pair<VarId, ExprId>> updates;
        auto operator<=>(const Alike&) const = default;
    };
    struct Group {
        GraphEdge edge;  // without guard and target
        std::map<std::vector<ExprId>, Places> targets;
    };

    void expand(GraphStateId s, const Reached& all) {
        std::map<Alike, Group> groups;
        ExprId end = pool().boolean(false);
        for (const auto& [p, paths] : all)
            for (const Path& path : paths.all()) {
                for (const GraphEdge& e : graph_.states[p].out)
                    if (mine(e)) add(groups, p, e, path);
                if (ExprId here = graph_.states[p].terminates) {
                    ExprId held = all_of(path.held);
                    if (knows(p, here)) held = pool().logical_and(held, now(here, path));
                    end = pool().logical_or(end, held);
                }
            }
        end = expr::simplify(pool(), end);
        if (!pool().is_false(end)) out_.states[s].terminates = end;
        for (auto& [alike, group] : groups) add_edges(s, group);
    }

    void add(std::map<Alike, Group>& groups, GraphStateId p, const GraphEdge& e, const Path& path) {
        GraphEdge local = localised(e, path);
        std::vector<ExprId> guard = path.held;
        for (const GuardPart& part : e.guards)
            if (graph_.sender(e) == role_ || knows(p, part.condition))
                guard.push_back(now(part.condition, path));
        std::erase_if(guard, [&](ExprId held) { return pool().is_true(held); });
        std::sort(guard.begin(), guard.end());
        guard.erase(std::unique(guard.begin(), guard.end()), guard.end());
        Alike key{local.label, local.condition, {}};
        for (const auto& u : local.updates) key.updates.emplace_back(u.variable, u.value);
        Group& group = groups.try_emplace(key, Group{std::move(local), {}}).first->second;
        group.targets[guard].insert(e.target);
    }

    // What is sent under guards that may hold together is a choice. What is received is not: the role is
    // then in all the places that fit.
    void add_edges(GraphStateId s, const Group& group) {
        std::vector<std::vector<ExprId>> guards;
        for (const auto& [guard, targets] : group.targets) guards.push_back(guard);
        bool received = graph_.alphabet->event(group.edge.label).to == role_;
        if (!received || guards.size() < 2 || guards.size() > max_told_apart) {
            for (const auto& [guard, targets] : group.targets) add_edge(s, group.edge, guard, targets);
            return;
        }
        for (std::size_t those = 1; those < std::size_t{1} << guards.size(); ++those) {
            Places targets;
            std::vector<ExprId> held;
            for (std::size_t i = 0; i < guards.size(); ++i) {
                if ((those >> i & 1) == 0) {
                    held.push_back(expr::simplify(pool(), pool().logical_not(all_of(guards[i]))));
                    continue;
                }
                held.insert(held.end(), guards[i].begin(), guards[i].end());
                const Places& more = group.targets.at(guards[i]);
                targets.insert(more.begin(), more.end());
            }
            add_edge(s, group.edge, held, targets);
        }
    }

    void add_edge(GraphStateId s, GraphEdge edge, const std::vector<ExprId>& guard, const Places& targets) {
        if (never(guard)) return;
        for (ExprId held : guard)
            if (!pool().is_true(held)) edge.guards.push_back({held, edge.node});
        edge.target = state_of(targets);
        out_.states[s].out.push_back(std::move(edge));
    }
    bool never(const std::vector<ExprId>& guard) {
        for (ExprId a : guard)
            for (ExprId b : guard)
                if (expr::simplify(pool(), pool().logical_not(a)) == b) return true;
        return pool().is_false(expr::simplify(pool(), all_of(guard)));
    }
    ExprId all_of(const std::vector<ExprId>& conditions) {
        ExprId all = pool().boolean(true);
        for (ExprId c : conditions) all = pool().logical_and(all, c);
        return all;
    }

    GraphEdge localised(const GraphEdge& e, const Path& path) {
        GraphEdge local = e;
        local.guards.clear();
        const model::Event event = graph_.alphabet->event(e.label);
        model::Alphabet& alphabet = *out_.alphabet;
        if (event.from == role_) {
            local.label = alphabet.send(event.from, event.to, event.message);
        } else {
            local.label = alphabet.receive(event.from, event.to, event.message);
            receive(e, local);
        }
        if (local.condition) local.condition = now(local.condition, path);
        for (model::Argument& a : local.data)
            if (a.value) a.value = now(a.value, path);
        for (auto& u : local.updates) u.value = now(u.value, path);
        for (const auto& computed : path.computed)
            if (std::none_of(local.updates.begin(), local.updates.end(),
                             [&](const auto& u) { return u.variable == computed.first; }))
                local.updates.push_back({computed.first, computed.second});
        std::sort(local.updates.begin(), local.updates.end(),
                  [](const auto& a, const auto& b) { return a.variable < b.variable; });
        return local;
    }

    // Whatever comes is bound: o!x is received as o?<x>. A value that nothing ever sets is one that the role
    // has known from the start: what comes must be that.
    void receive(const GraphEdge& e, GraphEdge& local) {
        auto payload = graph_.payload_of(e.label);
        local.condition = {};
        for (std::size_t i = 0; i < local.data.size() && i < payload.size(); ++i) {
            model::Argument& a = local.data[i];
            if (!a.value || pool()[a.value].op != expr::Op::var) continue;
            VarId v = pool().var_of(a.value);
            if (!set_.contains(v)) {
                ExprId sides[] = {pool().var(payload[i]), a.value};
                ExprId same = pool().make(expr::Op::equal, pool().types().boolean(), sides);
                local.condition = local.condition ? pool().logical_and(local.condition, same) : same;
                continue;
            }
            bool updated = std::any_of(local.updates.begin(), local.updates.end(),
                                       [&](const auto& u) { return u.variable == v; });
            if (!updated) local.updates.push_back({v, pool().var(payload[i])});
            a.bind = v;
            a.value = {};
        }
    }

    // By the places that have something to do with the role: those it may be in after its last event.
    void name_states() {
        for (GraphStateId s : sets_.ids())
            for (GraphStateId p : sets_[s])
                out_.states[s].name += (out_.states[s].name.empty() ? "" : ",") + graph_.state_name(p);
    }

    const SymbolicGraph& graph_;
    RoleId role_;
    Knowledge known_;
    std::set<VarId> set_;  // by some event of the protocol
    SymbolicGraph out_;
    model::ByGraphState<Places> sets_;
    std::map<Places, GraphStateId> ids_;
};

}  // namespace

SymbolicGraph local_graph(const SymbolicGraph& graph, RoleId role) {
    return Projector(graph, role).run();
}

GraphResult composed(const SymbolicGraph& graph, const GraphLimits& limits) {
    Meeting meeting = Meeting::fresh();
    std::vector<SymbolicGraph> parts;
    for (RoleId role : roles_of(graph)) {
        GraphResult part = import_graph(local_graph(graph, role), meeting);
        if (!part) return part;
        parts.push_back(std::move(*part));
    }
    if (parts.empty()) return base::Fault{"no roles"};
    for (SymbolicGraph& part : parts) part.payload = meeting.payload;
    return product(parts, limits);
}

}  // namespace treaty::symbolic
