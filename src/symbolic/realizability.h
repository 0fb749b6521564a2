// Can roles that see only their own events play a protocol with its data? (Nguyen 2013, section 3.4)
//
// Four modes say what "one after the other" means for two interactions in a row: they share a role (sync);
// the second is sent by a role that took part in the first (sending); it is received or sent by the receiver
// of the first (reception); it is sent by the receiver of the first (disjoint). Three things are checked:
//
// - order: every two interactions in a row are connected in the mode's sense;
// - data: each sender knows the values of its guard and of what it sends;
// - branching: with several continuations, one role decides, or guards that exclude each other do; and
//   every role whose part depends on the way taken learns it, from the first message it receives, from being
//   the one that decides, or from knowing the guards' values. Ending is a continuation: a role with something
//   to do on another way must be told. What comes first must tell: no sender may be ready, on one way and
//   before the role hears of it, to send what the role would take for a sign of the other.
//
// Cost: states times branches squared times roles, after one question to the solver for each pair of guards.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/symbolic_graph.h"
#include "solve/solver.h"
#include "symbolic/reach.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::SymbolicGraph;

enum class CommunicationMode : std::uint8_t { sync, sending, reception, disjoint };

std::string_view to_string(CommunicationMode mode);
std::optional<CommunicationMode> parse_communication_mode(std::string_view text);

// Whether the second interaction is bound to come after the first.
struct Parties {
    model::RoleId from, to;
};
bool connected(CommunicationMode mode, Parties first, Parties second);

// One continuation from a state: an edge, or the end.
constexpr GraphEdgeId the_end;

struct Problem {
    // together: none of the other kinds, and yet the roles composed do something else.
    enum class Kind : std::uint8_t { order, data, deciders, untold, together };
    Kind kind = Kind::order;
    GraphStateId state;
    GraphEdgeId edge = the_end;  // order, data: the edge; deciders, untold: one continuation
    GraphEdgeId other;           // deciders, untold: the other continuation
    model::RoleId role;          // data, untold: who does not know
    VarId variable;              // data
    bool by_guards = false;      // untold: only because the role sends the same under other guards
    model::RoleId rival;         // untold: who may send, on `edge`, what the role takes for `other`; or none
    GraphStateId before;         // order: the state and edge that come before
    GraphEdgeId before_edge;
};

// What is known of a graph once and for all, however many interactions are added to it.
struct GuardFacts {
    // By state of the original graph and pair of its continuations: whether their guards exclude each other.
    model::ByGraphState<std::vector<std::vector<bool>>> exclusive;
};

GuardFacts guard_facts(const SymbolicGraph& graph, const Reachability& reach, solve::Solver& solver);

// A graph that interactions are being added to. Edges remember which original continuation they
// represent, so that what was asked about guards stays true.
struct Draft {
    SymbolicGraph graph;
    struct Origin {
        GraphStateId state;  // of the original graph
        GraphEdgeId way;     // edge, or the_end
        bool known = false;  // false: an edge after an added one, alone at its state
    };
    model::ByGraphState<model::ByGraphEdge<Origin>> origins;  // by state, by edge
    model::ByGraphState<GraphStateId> original;               // by state: the original one it is, for the_end
    explicit Draft(SymbolicGraph g);
};

std::vector<Problem> find_problems(const Draft& draft, const GuardFacts& facts, CommunicationMode mode,
                                   std::size_t at_most = static_cast<std::size_t>(-1));

std::vector<model::RoleId> roles_of(const SymbolicGraph& graph);

// "w is not told whether ...": one line for people.
std::string describe(const SymbolicGraph& graph, const Problem& problem);

}  // namespace treaty::symbolic
