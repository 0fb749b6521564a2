// The interactions to add so that the roles of a protocol can play it, as few as can be (Nguyen 2013, section
// 3.4).
//
// One search, which can be stopped at any moment and then gives the best set of additions that it has found.
// It makes passes over sets of additions, each wider than the one before. A pass goes from sets of n to sets
// of n + 1 additions: for one problem of a draft it tries what is relevant to it (relevance.h), the most
// promising first (suggest.h); if that is more than the pass is wide, only so many, and what is suggested for
// the other problems. It keeps as many of the drafts as it is wide, those with the fewest problems. Nothing
// is kept that cannot lead to a better set than the best one. So the first passes find something, and a pass
// that left nothing out proves that there is nothing better: only then is a set called minimal. The first
// pass compares nothing at all, and makes additions for all problems that do not interfere at once; on a
// large graph it may be the only one that there is enough work for.
//
// A draft without problems is accepted only if its roles, composed, conform to the protocol
// (symbolic/verify.h). Cost: `work`, plus one check per round of the first pass, plus verifying what is
// found.
#pragma once

#include <compare>
#include <functional>

#include "repair/addition.h"
#include "solve/solver.h"
#include "symbolic/verify.h"

namespace treaty::repair {

// How good a set of additions is that leaves no problems. Greater is better.
struct Worth {
    bool conforms = false;      // verified; if not, that could not be decided
    std::size_t additions = 0;  // the fewer, the better
    bool as_it_was = false;     // the roles conform to the protocol as it was, not only to the repaired one
    bool written = false;       // the additions can be written into the text
    friend std::strong_ordering operator<=>(const Worth& a, const Worth& b);
    friend bool operator==(const Worth& a, const Worth& b) = default;
};

struct Repair {
    std::vector<Problem> problems;  // of the graph as it was; empty: it is realizable
    std::vector<Addition> additions;
    model::SymbolicGraph graph;           // with the additions
    bool found = false;                   // the graph with the additions has no problems
    symbolic::Verification verification;  // of the graph, if found
    Worth worth;                          // if found
    bool minimal = false;                 // proved that no fewer additions are enough
};

struct RepairLimits {
    std::size_t work = 3'000'000;  // edges of the drafts that are compared in the search for fewer additions
    std::size_t polish = 20'000;   // the same, in the search for a better set of as many
    symbolic::GraphLimits graph;   // of what is composed to verify; its deadline is that of the whole search
};

struct RepairHooks {
    // Whether the roles of a repaired graph conform; without it, symbolic::verify is asked.
    std::function<symbolic::Verification(const model::SymbolicGraph&)> verify;
    // Whether additions can be written into the text that the graph comes from; without it, they can.
    std::function<bool(const std::vector<Addition>&)> can_be_written;
    // Called for each set that is better than the ones before it, when it is found.
    std::function<void(const Repair&)> found_better;
};

// Expects a graph without unreachable parts (reachable_part).
Repair repair(const model::SymbolicGraph& graph, const symbolic::Reachability& reach,
              symbolic::CommunicationMode mode, solve::Solver& solver, const RepairLimits& limits = {},
              const RepairHooks& hooks = {});

}  // namespace treaty::repair
