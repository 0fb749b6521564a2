#include "symbolic/knowledge.h"

#include <algorithm>
#include <deque>
#include <set>

namespace treaty::symbolic {
namespace {

void set_bit(std::uint64_t* set, std::size_t i, bool on) {
    std::uint64_t bit = std::uint64_t{1} << (i % 64);
    set[i / 64] = on ? set[i / 64] | bit : set[i / 64] & ~bit;
}

struct Variables {
    std::set<VarId> bound, read;
};

Variables variables_of(const SymbolicGraph& graph) {
    Variables out;
    const expr::Pool& pool = *graph.pool;
    auto add = [&](ExprId e) {
        if (e)
            for (VarId v : pool.variables_of(e)) out.read.insert(v);
    };
    for (const GraphState& state : graph.states) {
        add(state.terminates);
        for (const GraphEdge& edge : state.out) {
            for (const GuardPart& part : edge.guards) add(part.condition);
            for (const model::Argument& a : edge.data) add(a.value);
            add(edge.condition);
            for (const auto& u : edge.updates) out.bound.insert(u.variable);
        }
    }
    for (const auto& [message, carried] : graph.payload)
        for (VarId v : carried) out.read.erase(v);
    return out;
}

}  // namespace

std::vector<VarId> with_sources(const SymbolicGraph& graph, std::vector<VarId> variables) {
    std::set<VarId> all(variables.begin(), variables.end());
    std::size_t before = 0;
    while (all.size() != before) {
        before = all.size();
        for (const GraphState& state : graph.states)
            for (const GraphEdge& edge : state.out)
                for (const auto& u : edge.updates)
                    if (u.value && all.contains(u.variable))
                        for (VarId v : graph.pool->variables_of(u.value)) all.insert(v);
    }
    return {all.begin(), all.end()};
}

Knowledge::Knowledge(const SymbolicGraph& graph, std::span<const model::RoleId> roles)
    : roles_(roles.size()), states_(graph.states.size()) {
    Variables variables = variables_of(graph);
    std::set<VarId> all = variables.read;
    all.insert(variables.bound.begin(), variables.bound.end());
    for (VarId v : all) positions_.emplace(v, positions_.size());
    width_ = std::max<std::size_t>(1, (all.size() + 63) / 64);
    known_.assign(states_ * roles_ * width_, 0);
    model::ByGraphState<bool> visited(states_);
    visited[graph.initial] = true;
    for (std::size_t r = 0; r < roles_; ++r)
        for (VarId v : all)
            if (!variables.bound.contains(v)) set_bit(words(graph.initial, r), positions_.at(v), true);
    std::deque<GraphStateId> pending{graph.initial};
    std::vector<std::uint64_t> after(width_);
    while (!pending.empty()) {
        GraphStateId s = pending.front();
        pending.pop_front();
        for (const GraphEdge& edge : graph.states[s].out) {
            bool fresh = !visited[edge.target], changed = fresh;
            visited[edge.target] = true;
            for (std::size_t r = 0; r < roles_; ++r) {
                bool party = edge.label.index != 0 &&
                             (graph.sender(edge) == roles[r] || graph.receiver(edge) == roles[r]);
                learn(graph, edge, party, words(s, r), after);
                std::uint64_t* there = words(edge.target, r);
                for (std::size_t w = 0; w < width_; ++w) {
                    std::uint64_t now = fresh ? after[w] : there[w] & after[w];
                    changed = changed || now != there[w];
                    there[w] = now;
                }
            }
            if (changed) pending.push_back(edge.target);
        }
    }
}

bool Knowledge::has(const std::uint64_t* set, VarId v) const {
    auto found = positions_.find(v);
    return found != positions_.end() && (set[found->second / 64] >> (found->second % 64) & 1) != 0;
}

bool Knowledge::knows(GraphStateId s, std::size_t role, VarId v) const {
    return s.index < states_ && has(known_.data() + (s.index * roles_ + role) * width_, v);
}

void Knowledge::learn(const SymbolicGraph& graph, const GraphEdge& edge, bool party,
                      const std::uint64_t* before, std::vector<std::uint64_t>& after) const {
    const expr::Pool& pool = *graph.pool;
    std::copy(before, before + width_, after.begin());
    auto carried = graph.payload_of(edge.label);
    for (const auto& u : edge.updates) {
        auto read = pool.variables_of(u.value);
        bool known = std::all_of(read.begin(), read.end(), [&](VarId v) {
            return has(before, v) || (party && std::find(carried.begin(), carried.end(), v) != carried.end());
        });
        set_bit(after.data(), positions_.at(u.variable), known);
    }
    if (!party) return;
    for (const model::Argument& a : edge.data)
        if (a.value && pool[a.value].op == expr::Op::var)
            if (auto at = positions_.find(pool.var_of(a.value)); at != positions_.end())
                set_bit(after.data(), at->second, true);
}

}  // namespace treaty::symbolic
