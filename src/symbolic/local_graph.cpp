// The part of one role. Steps of others are silent; one whose guard the role can check keeps it, because that
// is how the role knows which way was taken. The other silent steps are absorbed: a state of the result is
// the set of states the role may be in, as far as it can tell.

#include <algorithm>
#include <map>
#include <set>

#include "expr/simplify.h"
#include "symbolic/import_graph.h"
#include "symbolic/smart.h"

namespace treaty::symbolic {
namespace {

using model::RoleId;
using Places = std::set<Place>;

class Projector {
public:
    Projector(const Graph& graph, RoleId role) : graph_(graph), role_(role) {
        RoleId roles[] = {role};
        known_ = known_variables(graph, roles);
        out_.name = std::string(graph.alphabet->name(role));
        out_.pool = graph.pool;
        out_.alphabet = graph.alphabet;
        out_.payload = graph.payload;
    }

    Graph run() {
        state_of({0});
        for (Place s = 0; s < sets_.size(); ++s) expand(s, Places(sets_[s]));
        return std::move(out_);
    }

private:
    bool mine(const GraphEdge& e) const { return graph_.sender(e) == role_ || graph_.receiver(e) == role_; }
    bool knows(Place s, ExprId e) const {
        auto read = graph_.pool->variables_of(e);
        return std::all_of(read.begin(), read.end(), [&](VarId v) {
            return std::binary_search(known_[s][0].begin(), known_[s][0].end(), v);
        });
    }
    // The guard as far as the role checks it.
    std::vector<GuardPart> checked(Place s, const GraphEdge& e) const {
        std::vector<GuardPart> kept;
        for (const GuardPart& part : e.guards)
            if (graph_.sender(e) == role_ || knows(s, part.condition)) kept.push_back(part);
        return kept;
    }
    // A step of others that the role cannot tell from nothing.
    bool absorbed(Place s, const GraphEdge& e) const { return !mine(e) && checked(s, e).empty(); }

    Place state_of(Places places) {
        std::vector<Place> pending(places.begin(), places.end());
        while (!pending.empty()) {
            Place s = pending.back();
            pending.pop_back();
            for (const GraphEdge& e : graph_.states[s].out)
                if (absorbed(s, e) && places.insert(e.target).second) pending.push_back(e.target);
        }
        auto [entry, fresh] = ids_.try_emplace(places, static_cast<Place>(sets_.size()));
        if (fresh) {
            sets_.push_back(places);
            GraphState& state = out_.states.emplace_back();
            for (Place p : places) {
                state.name += (state.name.empty() ? "" : ",") + graph_.state_name(p);
                if (graph_.states[p].terminates) state.terminates = graph_.pool->boolean(true);
            }
        }
        return entry->second;
    }

    void expand(Place s, const Places& places) {
        struct Key {
            LabelId label;
            ExprId guard, condition;
            std::vector<std::pair<VarId, ExprId>> updates;
            auto operator<=>(const Key&) const = default;
        };
        std::map<Key, std::pair<GraphEdge, Places>> edges;
        for (Place p : places)
            for (const GraphEdge& e : graph_.states[p].out) {
                if (absorbed(p, e)) continue;
                GraphEdge local = localised(p, e);
                Key key{local.label, graph_.guard(local), local.condition, {}};
                for (const auto& u : local.updates) key.updates.emplace_back(u.variable, u.value);
                auto& entry = edges.try_emplace(key, local, Places{}).first->second;
                entry.second.insert(e.target);
            }
        for (auto& [key, entry] : edges) {
            entry.first.target = state_of(entry.second);
            out_.states[s].out.push_back(std::move(entry.first));
        }
    }

    GraphEdge localised(Place p, const GraphEdge& e) {
        GraphEdge local = e;
        local.guards = checked(p, e);
        const model::Event event = graph_.alphabet->event(e.label);
        model::Alphabet& alphabet = *out_.alphabet;
        if (!mine(e)) {
            local.label = alphabet.silent();
            local.data.clear();
            local.condition = {};
            local.updates.clear();
        } else if (event.from == role_) {
            local.label = alphabet.send(event.from, event.to, event.message);
        } else {
            local.label = alphabet.receive(event.from, event.to, event.message);
            receive(e, local);
        }
        return local;
    }

    // Whatever comes is bound: o!x is received as o?<x>. A condition on what is received stays if it can be
    // checked.
    void receive(const GraphEdge& e, GraphEdge& local) {
        expr::Pool& pool = *out_.pool;
        auto payload = graph_.payload_of(e.label);
        local.condition = {};
        for (std::size_t i = 0; i < local.data.size() && i < payload.size(); ++i) {
            model::Argument& a = local.data[i];
            if (!a.value || pool[a.value].op != expr::Op::var) continue;
            VarId v = pool.var_of(a.value);
            bool updated = std::any_of(local.updates.begin(), local.updates.end(),
                                       [&](const auto& u) { return u.variable == v; });
            if (!updated) local.updates.push_back({v, pool.var(payload[i])});
            a.bind = v;
            a.value = {};
        }
        std::sort(local.updates.begin(), local.updates.end(),
                  [](const auto& a, const auto& b) { return a.variable < b.variable; });
    }

    const Graph& graph_;
    RoleId role_;
    std::vector<std::vector<std::vector<VarId>>> known_;
    Graph out_;
    std::vector<Places> sets_;
    std::map<Places, Place> ids_;
};

}  // namespace

Graph local_graph(const Graph& graph, RoleId role) {
    return Projector(graph, role).run();
}

GraphResult composed(const Graph& graph, const GraphLimits& limits) {
    Meeting meeting = Meeting::fresh();
    std::vector<Graph> parts;
    for (RoleId role : roles_of(graph)) {
        GraphResult part = import_graph(local_graph(graph, role), meeting);
        if (!part) return part;
        parts.push_back(std::move(*part.graph));
    }
    if (parts.empty()) return {std::nullopt, "there are no roles"};
    for (Graph& part : parts) part.payload = meeting.payload;
    return product(parts, limits);
}

}  // namespace treaty::symbolic
