// The interactions to add so that a protocol becomes realizable, as few as can be (Nguyen 2013, section 3.4).
//
// First addition by addition, following the few drafts with the fewest problems left; then, on graphs that
// are small enough, smaller sets are looked for (fewest.h), from one addition on. `minimal` is set only when
// that search came to its end. On such graphs nothing is called realizable before its roles were composed and
// did not contradict it (verify.h), and of equally many additions those are preferred with which the roles
// conform to the protocol as it was. Cost: bounded by `work`; on large graphs one check a round.
#pragma once

#include <functional>

#include "symbolic/additions.h"
#include "symbolic/product.h"

namespace treaty::symbolic {

struct Repair {
    std::vector<Problem> problems;  // of the graph as it was; empty: it is realizable
    std::vector<Addition> additions;
    SymbolicGraph graph;      // with the additions
    bool realizable = false;  // the graph with the additions
    bool minimal = false;     // proved
};

struct RepairLimits {
    std::size_t work = 3'000'000;  // edges of drafts that are checked in the search for fewer additions
    std::size_t small = 200;       // edges: beyond, additions are not compared but taken by rule
    std::size_t compared = 60;     // edges: up to so many, several drafts are followed at a time,
    std::size_t width = 12;        // this many
    base::Deadline deadline;
};

// Whether additions can be written into the text that the graph comes from.
using Written = std::function<bool(const std::vector<Addition>&)>;

// Expects a graph without unreachable parts (reachable_part). Of equally many additions those that can be
// written are preferred, if somebody says which these are.
Repair repair(const SymbolicGraph& graph, const Reachability& reach, CommunicationMode mode,
              solve::Solver& solver, const RepairLimits& limits = {}, const Written& written = {});

// The local graph of each role (definition 6), silent steps absorbed: guards stay where the role sends, and
// where it knows what they ask.
SymbolicGraph local_graph(const SymbolicGraph& graph, model::RoleId role);

// The composition of all local graphs.
GraphResult composed(const SymbolicGraph& graph, const GraphLimits& limits = {});

}  // namespace treaty::symbolic
