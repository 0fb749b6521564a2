#include "symbolic/product.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/simplify.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using model::EventKind;
using Places = std::vector<GraphStateId>;

class Composer {
public:
    Composer(const std::vector<SymbolicGraph>& parts, const GraphLimits& limits)
        : parts_(parts), limits_(limits) {
        out_.pool = parts.front().pool;
        out_.alphabet = parts.front().alphabet;
        for (const SymbolicGraph& part : parts) {
            out_.name += (out_.name.empty() ? "" : " | ") + part.name;
            for (const auto& [message, variables] : part.payload)
                if (out_.payload[message].size() < variables.size()) out_.payload[message] = variables;
        }
    }

    GraphResult run() {
        state_of(Places(parts_.size(), SymbolicGraph::initial));
        for (GraphStateId s = SymbolicGraph::initial; places_.has(s); ++s.index) {
            if (places_.size() > limits_.states) return base::Fault{"the product has too many states"};
            if (limits_.deadline.passed()) return base::Fault{why_stopped(limits_.deadline)};
            expand(s, Places(places_[s]));
        }
        return std::move(out_);
    }

private:
    GraphStateId state_of(const Places& places) {
        auto [entry, fresh] = ids_.try_emplace(places, places_.next_id());
        if (!fresh) return entry->second;
        places_.push_back(places);
        GraphState& state = out_.states.emplace_back();
        expr::Pool& pool = *out_.pool;
        ExprId ends = pool.boolean(true);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const GraphState& part = parts_[i].states[places[i]];
            state.name += (i ? "." : "") + parts_[i].state_name(places[i]);
            ends = pool.logical_and(ends, part.terminates ? part.terminates : pool.boolean(false));
        }
        ends = expr::simplify(pool, ends);
        if (!pool.is_false(ends)) state.terminates = ends;
        return entry->second;
    }

    void expand(GraphStateId s, const Places& places) {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            for (const GraphEdge& edge : parts_[i].states[places[i]].out) {
                EventKind kind = out_.alphabet->event(edge.label).kind;
                if (kind == EventKind::receive) continue;
                if (kind == EventKind::send) {
                    meet(s, places, i, edge);
                    continue;
                }
                Places next = places;
                next[i] = edge.target;
                GraphEdge alone = edge;
                alone.target = state_of(next);
                out_.states[s].out.push_back(std::move(alone));
            }
    }

    void meet(GraphStateId s, const Places& places, std::size_t i, const GraphEdge& send) {
        model::Event event = out_.alphabet->event(send.label);
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            if (k == i) continue;
            for (const GraphEdge& receive : parts_[k].states[places[k]].out) {
                model::Event other = out_.alphabet->event(receive.label);
                if (other.kind != EventKind::receive || other.from != event.from || other.to != event.to ||
                    other.message != event.message)
                    continue;
                Places next = places;
                next[i] = send.target;
                next[k] = receive.target;
                GraphEdge both = send;
                both.label = out_.alphabet->interaction(event.from, event.to, event.message);
                both.target = state_of(next);
                both.guards.insert(both.guards.end(), receive.guards.begin(), receive.guards.end());
                if (receive.condition)
                    both.condition = both.condition
                                         ? out_.pool->logical_and(both.condition, receive.condition)
                                         : receive.condition;
                both.updates.insert(both.updates.end(), receive.updates.begin(), receive.updates.end());
                std::sort(both.updates.begin(), both.updates.end(),
                          [](const auto& a, const auto& b) { return a.variable < b.variable; });
                out_.states[s].out.push_back(std::move(both));
            }
        }
    }

    const std::vector<SymbolicGraph>& parts_;
    GraphLimits limits_;
    SymbolicGraph out_;
    model::ByGraphState<Places> places_;
    absl::flat_hash_map<Places, GraphStateId> ids_;
};

}  // namespace

GraphResult product(const std::vector<SymbolicGraph>& parts, const GraphLimits& limits) {
    if (parts.empty()) return base::Fault{"nothing to compose"};
    return Composer(parts, limits).run();
}

}  // namespace treaty::symbolic
