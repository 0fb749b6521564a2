// Symbolic graph: states and events with guards, data and updates, what every question of this folder is
// asked about (Nguyen 2013, definition 1, section 3.2).
//
// An edge is taken when its guard holds for the values of the variables and its condition holds for them and
// the values the event carries; then all updates happen at once, computed from the values before. Bound and
// free events are the same thing here: `let x` is the update x := payload, a known value e is the condition
// payload == e. The values of an event are the payload variables of its message, one per field, shared by
// all graphs over one pool: so two graphs agree on an event by agreeing on conditions over the same
// variables. A state terminates where its condition holds. State 0 is initial. Plain data; code that builds
// one sees to it that targets exist, and that guards, conditions and updates have a value everywhere when
// they are evaluated from left to right (expr/has_value.h): what may lack one is wrapped in holds().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "model/alphabet.h"
#include "model/machine.h"
#include "model/protocol.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::LabelId;
using Place = std::uint32_t;  // a state of a graph

// One part of a guard, and the step of the protocol that demands it (none where unknown).
struct GuardPart {
    ExprId condition;
    model::NodeId node;
};

struct GraphEdge {
    LabelId label;  // silent: 0
    Place target = 0;
    model::NodeId node;                 // the interaction it comes from
    std::vector<GuardPart> guards;      // over variables, all must hold
    std::vector<model::Argument> data;  // as written, over the variables before; for printing and knowledge
    ExprId condition;                   // over variables and payload; none means true
    std::vector<model::Assignment> updates;  // at once; sorted by variable, each once
    std::vector<VarId> chosen;               // of a hidden event: values that nobody sees, any of them
    bool added = false;                      // by smart projection
};

struct GraphState {
    std::vector<GraphEdge> out;
    ExprId terminates;        // none: never
    std::string name;         // of the text it comes from, or of the parts of a product; may be empty
    model::NodeId node = {};  // the step of the protocol that comes next; none where there is no single one
};

struct Graph {
    std::string name;
    std::shared_ptr<expr::Pool> pool;
    std::shared_ptr<model::Alphabet> alphabet;
    std::vector<GraphState> states;
    absl::flat_hash_map<model::MessageId, std::vector<VarId>> payload;

    std::size_t edge_count() const;
    std::string state_name(Place s) const;      // its name, or its number from 0
    ExprId guard(const GraphEdge& edge) const;  // all parts; `true` if there is none
    std::span<const VarId> payload_of(LabelId label) const;
    model::RoleId sender(const GraphEdge& edge) const { return alphabet->event(edge.label).from; }
    model::RoleId receiver(const GraphEdge& edge) const { return alphabet->event(edge.label).to; }
};

// The payload variables of a message, declared with these types where there are fewer.
std::vector<VarId>& payload_variables(Graph& graph, model::MessageId message,
                                      const std::vector<expr::TypeId>& types);

// Turns arguments, and a predicate over what they bind, into condition and updates of the edge. `before`
// replaces variables by what they are worth when the step is reached.
void set_data(Graph& graph, GraphEdge& edge, std::span<const model::Argument> arguments, ExprId where,
              const absl::flat_hash_map<VarId, ExprId>& before);

// By state: the variables that matter there, because something reads them before it is written (the free
// variables of definition 1). Sorted.
std::vector<std::vector<VarId>> live_variables(const Graph& graph);

// "[x > 0] v -> w: sell(x)"
std::string print_edge(const Graph& graph, const GraphEdge& edge);

// Each state with its edges, one per line, states by their names.
std::string to_text(const Graph& graph);

// As a machine: conditional termination becomes a silent step to a final state of its own.
std::optional<model::Machine> to_machine(const Graph& graph, model::RoleId role = {});

// Removes the states that nothing leads to; the order of the rest stays.
void drop_unvisited(Graph& graph);

}  // namespace treaty::symbolic
