#include "symbolic/path.h"

#include <algorithm>

namespace treaty::symbolic {

void extend(const SymbolicGraph& graph, NamedPath& path, GraphStateId state, GraphEdgeId e) {
    expr::Pool& pool = *graph.pool;
    const GraphEdge& edge = graph.states[state].out[e];
    NamedPath::Step step{state, e, {}};
    for (const GuardPart& part : edge.guards) {
        path.said.push_back(part);
        path.meant.push_back(expr::substitute(pool, part.condition, path.values));
    }
    absl::flat_hash_map<VarId, ExprId> with = path.values;
    auto name = [&](VarId v) {
        VarId own = pool.declare(pool.variable(v).name, pool.variable(v).type);
        with[v] = pool.var(own);
        return own;
    };
    for (VarId v : graph.payload_of(edge.label)) step.carried.push_back(name(v));
    for (VarId v : edge.chosen) name(v);
    if (edge.condition) {
        path.said.push_back({edge.condition, edge.node});
        path.meant.push_back(expr::substitute(pool, edge.condition, with));
    }
    absl::flat_hash_map<VarId, ExprId> next = path.values;
    for (const auto& u : edge.updates) next[u.variable] = expr::substitute(pool, u.value, with);
    path.values = std::move(next);
    path.steps.push_back(std::move(step));
}

NamedPath path_to(const SymbolicGraph& graph, const std::vector<Visit>& visits, std::size_t at) {
    std::vector<std::pair<GraphStateId, GraphEdgeId>> edges;
    for (std::size_t v = at; v != 0; v = visits[v].from)
        edges.emplace_back(visits[visits[v].from].state, visits[v].edge);
    std::reverse(edges.begin(), edges.end());
    NamedPath path;
    for (auto [state, edge] : edges) extend(graph, path, state, edge);
    return path;
}

}  // namespace treaty::symbolic
