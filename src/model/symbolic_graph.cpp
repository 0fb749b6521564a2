#include "model/symbolic_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/has_value.h"
#include "expr/print.h"
#include "expr/simplify.h"

namespace treaty::model {
namespace {

using expr::ExprId;
using expr::VarId;
using VarSet = std::vector<VarId>;

void add_all(VarSet& set, const VarSet& more) {
    set.insert(set.end(), more.begin(), more.end());
}

// That what a value holds is in the ranges that its field wants; for a number by itself the solver sees to
// it. Nothing is known of a list that is not written out.
ExprId parts_in_range(expr::Pool& pool, ExprId value, expr::TypeId wanted, bool inside = false) {
    const expr::Types& types = pool.types();
    if (pool[value].type == wanted || types.base(wanted) == wanted) return pool.boolean(true);
    if (pool.is_literal(value)) return pool.boolean(belongs(pool.literal_of(value), wanted, types));
    const expr::Type type = types[wanted];
    const expr::Node node = pool[value];
    std::vector<ExprId> parts(pool.children(value).begin(), pool.children(value).end());
    ExprId all = pool.boolean(true);
    auto demand = [&](expr::Op op, std::optional<std::int64_t> bound) {
        if (!bound) return;
        ExprId sides[] = {value, pool.integer(*bound)};
        all = pool.logical_and(all, pool.make(op, types.boolean(), sides));
    };
    if (type.kind == expr::TypeKind::integer && inside) {
        demand(expr::Op::greater_equal, type.low);
        demand(expr::Op::less_equal, type.high);
    } else if (node.op == expr::Op::list || node.op == expr::Op::some || node.op == expr::Op::record) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            expr::TypeId part = node.op == expr::Op::record ? type.fields[i].type : type.element;
            all = pool.logical_and(all, parts_in_range(pool, parts[i], part, true));
        }
    } else if (type.kind == expr::TypeKind::optional) {
        ExprId one[] = {value};
        ExprId held = pool.make(expr::Op::value, types.base(type.element), one);
        ExprId sides[] = {pool.make(expr::Op::has, types.boolean(), one),
                          parts_in_range(pool, held, type.element, true)};
        all = pool.make(expr::Op::implies, types.boolean(), sides);
    }
    return all;
}

void normalise(VarSet& set) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
}

}  // namespace

std::size_t SymbolicGraph::edge_count() const {
    std::size_t count = 0;
    for (const GraphState& state : states) count += state.out.size();
    return count;
}

std::string SymbolicGraph::state_name(GraphStateId s) const {
    return states[s].name.empty() ? std::to_string(s.index) : states[s].name;
}

ExprId SymbolicGraph::guard(const GraphEdge& edge) const {
    ExprId all = pool->boolean(true);
    for (const GuardPart& part : edge.guards) all = pool->logical_and(all, part.condition);
    return expr::simplify(*pool, all);
}

std::span<const VarId> SymbolicGraph::payload_of(LabelId label) const {
    auto found = payload.find(alphabet->event(label).message);
    if (label.index == 0 || found == payload.end()) return {};
    return found->second;
}

std::vector<VarId>& payload_variables(SymbolicGraph& graph, MessageId message,
                                      const std::vector<expr::TypeId>& types) {
    std::vector<VarId>& variables = graph.payload[message];
    while (variables.size() < types.size()) {
        auto name = graph.pool->names().intern(fmt::format("payload{}", variables.size() + 1));
        variables.push_back(graph.pool->declare(name, graph.pool->types().base(types[variables.size()])));
    }
    return variables;
}

void set_data(SymbolicGraph& graph, GraphEdge& edge, std::span<const Argument> arguments, ExprId where,
              const absl::flat_hash_map<VarId, ExprId>& before) {
    expr::Pool& pool = *graph.pool;
    std::vector<expr::TypeId> types;
    for (const Argument& a : arguments)
        types.push_back(a.bind    ? pool.variable(a.bind).type
                        : a.value ? pool[a.value].type
                                  : pool.types().integer());
    const auto& payload = payload_variables(graph, graph.alphabet->event(edge.label).message, types);
    ExprId condition = pool.boolean(true);
    absl::flat_hash_map<VarId, ExprId> bound = before;
    absl::flat_hash_map<VarId, ExprId> after = before;
    edge.data.assign(arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (VarId variable = arguments[i].bind) {
            bound[variable] = after[variable] = pool.var(payload[i]);
            if (VarId presence = pool.presence(variable))
                bound[presence] = after[presence] = pool.boolean(true);
        } else if (arguments[i].value) {
            ExprId present = expr::has_value(pool, arguments[i].value);
            edge.data[i].value = expr::substitute(pool, arguments[i].value, before);
            condition = pool.logical_and(condition, expr::substitute(pool, present, before));
            expr::TypeId wanted = pool.variable(payload[i]).type;
            condition = pool.logical_and(condition, parts_in_range(pool, edge.data[i].value, wanted));
            condition = pool.logical_and(condition, pool.equal(pool.var(payload[i]), edge.data[i].value));
        }
    }
    if (where)
        condition = pool.logical_and(condition, expr::substitute(pool, expr::holds(pool, where), bound));
    condition = expr::simplify(pool, condition);
    if (!pool.is_true(condition)) edge.condition = condition;
    for (const auto& [variable, value] : after)
        if (pool.var(variable) != value) edge.updates.push_back({variable, value});
    std::sort(edge.updates.begin(), edge.updates.end(),
              [](const auto& a, const auto& b) { return a.variable < b.variable; });
}

ByGraphState<VarSet> live_variables(const SymbolicGraph& graph) {
    const expr::Pool& pool = *graph.pool;
    // What each edge reads whatever follows, and what its updates read by variable.
    struct Reads {
        VarSet always;
        std::vector<std::pair<VarId, VarSet>> by_update;
        VarSet payload;
    };
    ByGraphState<ByGraphEdge<Reads>> reads(graph.states.size());
    ByGraphState<VarSet> live(graph.states.size());
    ByGraphState<std::vector<GraphStateId>> before(graph.states.size());
    for (GraphStateId s : graph.states.ids()) {
        if (graph.states[s].terminates) live[s] = pool.variables_of(graph.states[s].terminates);
        for (const GraphEdge& edge : graph.states[s].out) {
            Reads& r = reads[s].emplace_back();
            for (const GuardPart& part : edge.guards) add_all(r.always, pool.variables_of(part.condition));
            if (edge.condition) add_all(r.always, pool.variables_of(edge.condition));
            auto carried = graph.payload_of(edge.label);
            r.payload.assign(carried.begin(), carried.end());
            normalise(r.payload);
            for (const auto& u : edge.updates)
                r.by_update.emplace_back(u.variable, pool.variables_of(u.value));
            before[edge.target].push_back(s);
        }
    }
    std::vector<GraphStateId> pending;
    for (GraphStateId s : graph.states.ids()) pending.push_back(s);
    ByGraphState<bool> waiting(graph.states.size(), true);
    while (!pending.empty()) {
        GraphStateId s = pending.back();
        pending.pop_back();
        waiting[s] = false;
        VarSet now = live[s];
        for (GraphEdgeId i : graph.states[s].out.ids()) {
            const Reads& r = reads[s][i];
            VarSet here = r.always;
            for (VarId v : live[graph.states[s].out[i].target]) {
                auto written = std::find_if(r.by_update.begin(), r.by_update.end(),
                                            [&](const auto& u) { return u.first == v; });
                if (written == r.by_update.end())
                    here.push_back(v);
                else
                    add_all(here, written->second);
            }
            std::erase_if(here,
                          [&](VarId v) { return std::binary_search(r.payload.begin(), r.payload.end(), v); });
            add_all(now, here);
        }
        normalise(now);
        if (now == live[s]) continue;
        live[s] = std::move(now);
        for (GraphStateId p : before[s])
            if (!waiting[p]) {
                waiting[p] = true;
                pending.push_back(p);
            }
    }
    for (VarSet& set : live) normalise(set);
    return live;
}

std::string print_edge(const SymbolicGraph& graph, const GraphEdge& edge) {
    const expr::Pool& pool = *graph.pool;
    std::string out;
    ExprId guard = graph.guard(edge);
    if (!pool.is_true(guard)) out += fmt::format("[{}] ", expr::print(pool, guard));
    if (edge.added) out += "+";
    out += graph.alphabet->print(edge.label);
    if (edge.data.empty()) return out;
    std::string data;
    for (const Argument& a : edge.data) {
        if (!data.empty()) data += ", ";
        if (a.bind)
            data += fmt::format("let {}", pool.names().text(pool.variable(a.bind).name));
        else
            data += a.value ? expr::print(pool, a.value) : "_";
    }
    return out + "(" + data + ")";
}

std::string to_text(const SymbolicGraph& graph) {
    std::string out;
    for (GraphStateId s : graph.states.ids()) {
        const GraphState& state = graph.states[s];
        out += fmt::format("  state {}", graph.state_name(s));
        if (state.terminates) {
            out += ", may end";
            if (!graph.pool->is_true(state.terminates))
                out += fmt::format(" where {}", expr::print(*graph.pool, state.terminates));
        }
        out += "\n";
        for (const GraphEdge& edge : state.out)
            out += fmt::format("      {}  -> {}\n", print_edge(graph, edge), graph.state_name(edge.target));
    }
    return out;
}

namespace {

void conjuncts_of(const expr::Pool& pool, ExprId e, std::vector<ExprId>& out) {
    if (pool[e].op != expr::Op::logical_and) {
        out.push_back(e);
        return;
    }
    for (ExprId part : pool.children(e)) conjuncts_of(pool, part, out);
}

// What is demanded of the payload beyond being the values that are given, in terms of what it is called.
ExprId where_of(const SymbolicGraph& graph, const GraphEdge& edge) {
    if (!edge.condition) return {};
    expr::Pool& pool = *graph.pool;
    auto payload = graph.payload_of(edge.label);
    absl::flat_hash_map<VarId, ExprId> called;
    std::vector<ExprId> given, demanded;
    for (std::size_t i = 0; i < edge.data.size() && i < payload.size(); ++i) {
        const Argument& a = edge.data[i];
        if (a.bind) called[payload[i]] = pool.var(a.bind);
        if (a.value) given.push_back(expr::simplify(pool, pool.equal(pool.var(payload[i]), a.value)));
        if (a.value) called[payload[i]] = a.value;
    }
    conjuncts_of(pool, edge.condition, demanded);
    ExprId all = pool.boolean(true);
    for (ExprId part : demanded)
        if (std::find(given.begin(), given.end(), part) == given.end())
            all = pool.logical_and(all, expr::substitute(pool, part, called));
    all = expr::simplify(pool, all);
    return pool.is_true(all) ? ExprId() : all;
}

}  // namespace

std::optional<Machine> to_machine(const SymbolicGraph& graph, RoleId role) {
    expr::Pool& pool = *graph.pool;
    MachineBuilder builder(graph.name, graph.alphabet, role, graph.pool);
    std::optional<StateId> end;
    for (const GraphState& state : graph.states)
        builder.state(state.terminates && pool.is_true(state.terminates), state.name);
    for (GraphStateId s : graph.states.ids()) {
        const GraphState& state = graph.states[s];
        for (const GraphEdge& edge : state.out) {
            EdgeData data;
            ExprId guard = graph.guard(edge);
            if (!pool.is_true(guard)) data.guard = guard;
            data.data = edge.data;
            data.where = where_of(graph, edge);
            for (const auto& u : edge.updates) {
                bool binds = std::any_of(edge.data.begin(), edge.data.end(),
                                         [&](const auto& a) { return a.bind == u.variable; });
                if (!binds) data.assignments.push_back(u);
            }
            builder.edge(StateId(s.index), edge.label, StateId(edge.target.index), edge.node, data);
        }
        if (state.terminates && !pool.is_true(state.terminates)) {
            if (!end) end = builder.state(true);
            EdgeData data;
            data.guard = state.terminates;
            builder.edge(StateId(s.index), graph.alphabet->silent(), *end, {}, data);
        }
    }
    return builder.finish();
}

void drop_unvisited(SymbolicGraph& graph) {
    ByGraphState<bool> seen(graph.states.size());
    std::vector<GraphStateId> pending{graph.initial};
    seen[graph.initial] = true;
    while (!pending.empty()) {
        GraphStateId s = pending.back();
        pending.pop_back();
        for (const GraphEdge& edge : graph.states[s].out)
            if (!seen[edge.target]) {
                seen[edge.target] = true;
                pending.push_back(edge.target);
            }
    }
    ByGraphState<GraphStateId> renumbered(graph.states.size());
    ByGraphState<GraphState> kept;
    for (GraphStateId s : graph.states.ids()) {
        if (!seen[s]) continue;
        renumbered[s] = kept.next_id();
        if (graph.states[s].name.empty()) graph.states[s].name = std::to_string(s.index);
        kept.push_back(std::move(graph.states[s]));
    }
    for (GraphState& state : kept)
        for (GraphEdge& edge : state.out) edge.target = renumbered[edge.target];
    graph.states = std::move(kept);
}

}  // namespace treaty::model
