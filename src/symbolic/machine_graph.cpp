#include "symbolic/machine_graph.h"

#include <algorithm>

#include "expr/has_value.h"
#include "expr/simplify.h"

namespace treaty::symbolic {
namespace {

// Assignments run one after the other after the event; updates happen at once.
void add_assignments(SymbolicGraph& graph, GraphEdge& edge,
                     const std::vector<model::Assignment>& assignments) {
    expr::Pool& pool = *graph.pool;
    absl::flat_hash_map<VarId, ExprId> now;
    for (const auto& u : edge.updates) now[u.variable] = u.value;
    for (const model::Assignment& a : assignments)
        now[a.variable] = expr::simplify(pool, expr::substitute(pool, a.value, now));
    edge.updates.clear();
    for (const auto& [variable, value] : now)
        if (value != pool.var(variable)) edge.updates.push_back({variable, value});
    std::sort(edge.updates.begin(), edge.updates.end(),
              [](const auto& a, const auto& b) { return a.variable < b.variable; });
}

}  // namespace

SymbolicGraph machine_graph(const model::Machine& machine, const model::Specification* specification) {
    SymbolicGraph graph;
    graph.name = machine.name();
    graph.alphabet = machine.alphabet_ptr();
    graph.pool = machine.pool();
    if (!graph.pool)
        graph.pool =
            std::make_shared<expr::Pool>(std::make_shared<expr::Types>(), std::make_shared<base::Names>());
    for (std::size_t m = 0; specification && m < specification->messages.size(); ++m)
        if (!specification->messages[m].variables.empty())
            graph.payload[model::MessageId(m)] = specification->messages[m].variables;
    graph.states.resize(machine.state_count());
    for (GraphStateId s : graph.states.ids()) {
        model::StateId id(s.index);
        graph.states[s].name = machine.state_name(id);
        if (machine.final(id)) graph.states[s].terminates = graph.pool->boolean(true);
        auto edges = machine.out(id);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            GraphEdge edge;
            edge.label = edges[i].label;
            edge.target = GraphStateId(edges[i].target.index);
            edge.node = machine.node(id, i);
            if (machine.has_data()) {
                const model::EdgeData& data = machine.data(id, i);
                if (data.guard) edge.guards.push_back({expr::holds(*graph.pool, data.guard), edge.node});
                set_data(graph, edge, data.data, data.where, {});
                add_assignments(graph, edge, data.assignments);
            }
            graph.states[s].out.push_back(std::move(edge));
        }
    }
    return graph;
}

}  // namespace treaty::symbolic
