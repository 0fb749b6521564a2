// Interactions added to a graph, and which of them a problem of realizability calls for.
//
// An addition stands before a state (whatever comes next), before or behind one edge, or before an end; it
// carries one value or none. Additions made one after the other can be made in any order: each place of the
// result can be named whatever is there already.
//
// `relevant` says which additions can have a part in mending a problem: a set of additions that holds none of
// them leaves the problem as it is. So a search that tries, for one problem at a time, all that are relevant
// misses no set. The reasons, by kind:
//   order     something must stand between the two interactions;
//   data      the value must come to the role in some message, or another role check the guard;
//   deciders  only the first interactions of the ways on from the state decide;
//   untold    what a role can tell apart changes only by interactions it has a part in; what another one is
//             ready to send too early, by interactions that one has a part in.
#pragma once

#include <string>
#include <vector>

#include "symbolic/knowledge.h"
#include "symbolic/realizability.h"

namespace treaty::symbolic {

struct Addition {
    enum class Position : std::uint8_t { at_state, on_edge, behind_edge, at_end };
    Position position = Position::at_state;
    Place state = 0;       // of the draft as it was when this was added
    std::size_t edge = 0;  // on_edge, behind_edge
    model::RoleId from, to;
    VarId variable;  // none: it carries nothing
    std::string message;
    Problem::Kind why = Problem::Kind::order;
    // Where it stands in the text: directly before or behind a step, or another addition (by its message). No
    // step and no neighbour: there is no single place.
    model::NodeId node;
    std::string neighbour;
    bool behind = false;
};

void apply(Draft& draft, const Addition& addition);

// What is likely to mend problems of a draft. Knows who knows what as it was when it was made; the graph
// itself is read as it is, so that states which were left alone meanwhile can still be asked about.
class Advisor {
public:
    Advisor(const Draft& draft, CommunicationMode mode);
    // Most promising first.
    std::vector<Addition> suggestions(const Problem& problem);

private:
    const Graph& graph_;
    CommunicationMode mode_;
    std::vector<model::RoleId> roles_;
    Knowledge known_;
};

// All additions there are.
std::vector<Addition> every_addition(const Draft& draft);
bool relevant(const Problem& problem, const Addition& addition);

// At least so many additions are needed for these problems.
std::size_t at_least(const std::vector<Problem>& problems);

}  // namespace treaty::symbolic
