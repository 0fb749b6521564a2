// repair: which interactions must be added to a protocol so that its roles can play it, and what a role does
// then.
//
// What the roles lack is found on the protocol's symbolic graph (symbolic/realizability.h), and additions
// that mend it are searched for, as few as can be (symbolic/smart.h). They are believed only when the roles
// of the mended protocol, each for itself, were composed and conform to the protocol (symbolic/verify.h); and
// they are written into the text only if the text with them is realizable and conforms, too. A value that a
// role uses without knowing it is something to mend, not an error, here.
//
// The verdict: holds with the machine of the role; undecided if no additions were found, or they could not be
// verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/project.h"
#include "model/symbolic_graph.h"
#include "symbolic/realizability.h"
#include "symbolic/verify.h"

namespace treaty::api {

struct RepairQuestion : ProjectQuestion {
    symbolic::CommunicationMode mode = symbolic::CommunicationMode::sync;
};

// Why the roles cannot play the protocol as it is.
struct RealizabilityProblem {
    std::string what;                  // one line for people
    std::vector<std::uint32_t> lines;  // of the interactions that it is about
    std::string role;                  // who does not know; may be empty
};

struct AddedInteraction {
    std::string interaction;  // "A -> B: added_data1(x)"
    std::uint32_t line = 0;   // of the step that it is written before or after; 0: there is no such step
    bool after = false;
    bool at_end = false;      // of the whole protocol
    bool each_round = false;  // written before a loop and again at the end of each of its rounds
    std::string neighbour;    // the addition that it is written before or after, if there is one
};

struct RepairAnswer : ProjectAnswer {
    symbolic::CommunicationMode mode = symbolic::CommunicationMode::sync;
    bool examined = false;  // false: the protocol has no graph, and what follows is not known
    std::vector<RealizabilityProblem> problems;  // empty: it was realizable
    std::vector<AddedInteraction> added;
    bool minimal = false;                        // proved that no fewer are enough
    std::optional<symbolic::Verified> verified;  // none: no additions were found that are enough
    // The mended protocol where the additions have no single place in the text.
    std::optional<model::SymbolicGraph> graph;
};

RepairAnswer repair(const Workspace& workspace, const RepairQuestion& question, const Context& context);

}  // namespace treaty::api
