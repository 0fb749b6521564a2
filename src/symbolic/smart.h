// The interactions to add so that a protocol becomes realizable, as few as can be (001, section 3.4).
//
// An interaction is added before a state (whatever comes next), on one way on from a state, or before an end;
// it carries one known value or none. Values and orders are connected, and roles told, by whichever additions
// leave the fewest problems; then, on graphs that are small enough, smaller sets are looked for. `minimal` is
// said only where every smaller set of additions, of any kind and anywhere, was tried.
#pragma once

#include "symbolic/product.h"
#include "symbolic/realizability.h"

namespace treaty::symbolic {

struct Addition {
    enum class Position : std::uint8_t { at_state, on_edge, at_end };
    Position position = Position::at_state;
    Place state = 0;  // of the draft as it was when this was added
    std::size_t edge = 0;
    model::RoleId from, to;
    VarId variable;  // none: it carries nothing
    std::string message;
    Problem::Kind why = Problem::Kind::order;
    model::NodeId node;  // the step of the protocol it stands before; none where there is no single one
    std::string before;  // the addition it stands before, if it does
};

void apply(Draft& draft, const Addition& addition);
std::vector<Addition> candidates(const Draft& draft, const GuardFacts& facts, CommunicationMode mode,
                                 const Problem& problem);

struct Repair {
    std::vector<Problem> problems;  // of the graph as it was; empty: it is realizable
    std::vector<Addition> additions;
    Graph graph;              // with the additions
    bool realizable = false;  // the graph with the additions
    bool minimal = false;     // proved
};

struct RepairLimits {
    std::size_t checks = 2'000;  // of drafts, in the search for fewer additions
    std::size_t small = 200;      // edges: beyond, additions are not compared but taken by rule
    base::Deadline deadline;
};

// Expects a graph without unreachable parts (reachable_part).
Repair repair(const Graph& graph, const Reachability& reach, CommunicationMode mode, expr::Solver& solver,
              const RepairLimits& limits = {});

// The local graph of each role (definition 6), silent steps absorbed: guards stay where the role sends, and
// where it knows what they ask.
Graph local_graph(const Graph& graph, model::RoleId role);

// The composition of all local graphs.
GraphResult composed(const Graph& graph, const GraphLimits& limits = {});

}  // namespace treaty::symbolic
