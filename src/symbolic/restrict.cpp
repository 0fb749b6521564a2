#include "symbolic/restrict.h"

#include <algorithm>

#include "expr/simplify.h"
#include "symbolic/linear.h"

namespace treaty::symbolic {
namespace {

// The value, if the condition determines it.
std::optional<ExprId> determined(VarId z, ExprId condition, Logic& logic) {
    expr::Pool& pool = logic.pool();
    for (ExprId part : logic.conjuncts(logic.negation_free(condition))) {
        if (pool[part].op != expr::Op::equal) continue;
        auto comparison = comparison_of(pool, part, z);
        if (comparison && comparison->coefficient == 1) return comparison->bound;
    }
    return std::nullopt;
}

bool hide(SymbolicGraph& graph, GraphEdge& edge, bool on_cycle, Logic& logic) {
    expr::Pool& pool = *graph.pool;
    auto carried = graph.payload_of(edge.label);
    std::vector<VarId> read;
    for (const auto& u : edge.updates)
        for (VarId v : pool.variables_of(u.value)) read.push_back(v);
    absl::flat_hash_map<VarId, ExprId> by;
    ExprId condition = edge.condition ? edge.condition : logic.yes();
    for (std::size_t i = 0; i < carried.size(); ++i) {
        if (std::find(read.begin(), read.end(), carried[i]) == read.end()) {
            auto without = logic.exists(carried[i], condition);
            if (!without) return false;
            condition = *without;
            continue;
        }
        if (auto known = determined(carried[i], condition, logic)) {
            by[carried[i]] = *known;
            continue;
        }
        base::NameId name = pool.variable(carried[i]).name;
        if (i < edge.data.size() && edge.data[i].bind) name = pool.variable(edge.data[i].bind).name;
        VarId value = pool.declare(name, pool.variable(carried[i]).type);
        by[carried[i]] = pool.var(value);
        if (on_cycle) edge.chosen.push_back(value);
    }
    for (auto& u : edge.updates) u.value = expr::substitute(pool, u.value, by);
    condition = expr::simplify(pool, expr::substitute(pool, condition, by));
    edge.condition = pool.is_true(condition) ? ExprId() : condition;
    edge.label = graph.alphabet->silent();
    edge.data.clear();
    return true;
}

}  // namespace

absl::flat_hash_set<LabelId> labels_of(const SymbolicGraph& graph) {
    absl::flat_hash_set<LabelId> labels;
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out) labels.insert(edge.label);
    return labels;
}

// Tarjan's algorithm with a stack of its own.
model::ByGraphState<std::uint32_t> components(const SymbolicGraph& graph) {
    std::size_t n = graph.states.size();
    model::ByGraphState<std::uint32_t> component(n, 0), order(n, 0), low(n, 0);
    model::ByGraphState<bool> on_stack(n);
    std::vector<GraphStateId> stack;
    std::uint32_t next = 0, count = 0;
    struct Call {
        GraphStateId state;
        GraphEdgeId edge;
    };
    for (GraphStateId start : graph.states.ids()) {
        if (order[start]) continue;
        std::vector<Call> calls{{start, GraphEdgeId(0u)}};
        while (!calls.empty()) {
            auto& [s, e] = calls.back();
            if (e.index == 0) {
                order[s] = low[s] = ++next;
                stack.push_back(s);
                on_stack[s] = true;
            }
            if (graph.states[s].out.has(e)) {
                GraphStateId t = graph.states[s].out[e].target;
                ++e.index;
                if (!order[t])
                    calls.push_back({t, GraphEdgeId(0u)});
                else if (on_stack[t])
                    low[s] = std::min(low[s], order[t]);
                continue;
            }
            GraphStateId done = s;
            if (low[done] == order[done]) {
                GraphStateId t;
                do {
                    t = stack.back();
                    stack.pop_back();
                    on_stack[t] = false;
                    component[t] = count;
                } while (t != done);
                ++count;
            }
            calls.pop_back();
            if (!calls.empty()) low[calls.back().state] = std::min(low[calls.back().state], low[done]);
        }
    }
    return component;
}

base::Result<SymbolicGraph> restricted(SymbolicGraph graph, const absl::flat_hash_set<LabelId>& visible,
                                       Logic& logic) {
    model::ByGraphState<std::uint32_t> component = components(graph);
    for (GraphStateId s : graph.states.ids())
        for (GraphEdge& edge : graph.states[s].out) {
            if (edge.label.index == 0 || visible.contains(edge.label)) continue;
            if (hide(graph, edge, component[s] == component[edge.target], logic)) continue;
            return base::Fault{"a hidden event's data cannot be hidden: " + logic.problem()};
        }
    return graph;
}

}  // namespace treaty::symbolic
