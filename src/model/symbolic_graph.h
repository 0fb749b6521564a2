// SymbolicGraph: states, and edges with guards, data and updates: what questions about data are asked of
// (Nguyen 2013, definition 1, section 3.2).
//
// An edge is taken when its guard holds for the values of the variables and its condition holds for them and
// the values the event carries; then all updates happen at once, computed from the values before. Bound and
// free events are the same thing here: `let x` is the update x := payload, a known value e is the condition
// payload == e. The values of an event are the payload variables of its message, one per field, shared by
// all graphs over one pool: so two graphs agree on an event by agreeing on conditions over the same
// variables. A state terminates where its condition holds.
//
// Plain data. Its builder ensures that targets exist, and that guards, conditions and updates have a value
// everywhere when they are evaluated from left to right (expr/has_value.h): what may lack one is wrapped in
// holds(). A state is named by its id; an edge by its state and its id among the edges of that state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id_vector.h"
#include "expr/pool.h"
#include "model/alphabet.h"
#include "model/machine.h"
#include "model/protocol.h"

namespace treaty::model {

using GraphStateId = base::Id<struct GraphStateTag>;
using GraphEdgeId = base::Id<struct GraphEdgeTag>;  // among the edges of one state
using AdditionId = base::Id<struct AdditionTag>;    // an interaction that is not of the protocol itself
template <class T>
using ByGraphState = base::IdVector<GraphStateId, T>;
template <class T>
using ByGraphEdge = base::IdVector<GraphEdgeId, T>;

// One part of a guard, and the step of the protocol that demands it (none where unknown).
struct GuardPart {
    expr::ExprId condition;
    NodeId node;
};

struct GraphEdge {
    LabelId label;  // silent: 0
    GraphStateId target;
    NodeId node;                      // the interaction it comes from
    std::vector<GuardPart> guards;    // over variables, all must hold
    std::vector<Argument> data;       // as written, over the variables before; for printing and knowledge
    expr::ExprId condition;           // over variables and payload; none means true
    std::vector<Assignment> updates;  // at once; sorted by variable, each once
    std::vector<expr::VarId> chosen;  // of a hidden event: values that are not visible, any of them
    AdditionId added;                 // by smart projection; none: it is of the protocol itself
};

struct GraphState {
    ByGraphEdge<GraphEdge> out;
    expr::ExprId terminates;  // none: never
    std::string name;         // of the text it comes from, or of the parts of a product; may be empty
    NodeId node = {};         // the step of the protocol that comes next; none where there is no single one
};

struct SymbolicGraph {
    static constexpr GraphStateId initial{0u};

    std::string name;
    std::shared_ptr<expr::Pool> pool;
    std::shared_ptr<Alphabet> alphabet;
    ByGraphState<GraphState> states;
    absl::flat_hash_map<MessageId, std::vector<expr::VarId>> payload;

    std::size_t edge_count() const;
    std::string state_name(GraphStateId s) const;     // its name, or its number from 0
    expr::ExprId guard(const GraphEdge& edge) const;  // all parts; `true` if there is none
    std::span<const expr::VarId> payload_of(LabelId label) const;
    RoleId sender(const GraphEdge& edge) const { return alphabet->event(edge.label).from; }
    RoleId receiver(const GraphEdge& edge) const { return alphabet->event(edge.label).to; }
};

// The payload variables of a message, declared with these types where there are fewer.
std::vector<expr::VarId>& payload_variables(SymbolicGraph& graph, MessageId message,
                                            const std::vector<expr::TypeId>& types);

// Turns arguments, and a predicate over what they bind, into condition and updates of the edge. `before`
// replaces variables by what they are worth when the step is reached.
void set_data(SymbolicGraph& graph, GraphEdge& edge, std::span<const Argument> arguments, expr::ExprId where,
              const absl::flat_hash_map<expr::VarId, expr::ExprId>& before);

// By state: the variables that matter there, because something reads them before it is written (the free
// variables of definition 1). Sorted.
ByGraphState<std::vector<expr::VarId>> live_variables(const SymbolicGraph& graph);

// "[x > 0] v -> w: sell(x)"
std::string print_edge(const SymbolicGraph& graph, const GraphEdge& edge);

// Each state with its edges, one per line, states by their names.
std::string to_text(const SymbolicGraph& graph);

// As a machine: conditional termination becomes a silent step to a final state of its own.
std::optional<Machine> to_machine(const SymbolicGraph& graph, RoleId role = {});

// Removes the states that nothing leads to; the order of the rest stays.
void drop_unvisited(SymbolicGraph& graph);

}  // namespace treaty::model
