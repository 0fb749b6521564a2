// Pomset semantics: the partial orders of events that a protocol allows (Coto 2023, section 2.1.2).
//
// An interaction is a send before a receive; a choice is the union of its branches; parallel composition puts
// them side by side; a sequence orders all events of a role in the first part before all its events in the
// second, and nothing else. A loop is any number of rounds in sequence; enumeration takes at most `rounds` of
// them, and a recursion passes its head at most `rounds` + 1 times. Data is left aside: a conditional is a
// choice, a while loop a repeat. Interruption and semaphores have no pomset meaning: nothing is given then.
//
// Membership of words needs no enumeration: pomset_language.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

struct PomsetEvent {
    model::LabelId label;  // a send or a receive
    model::NodeId node;    // the interaction it belongs to
};

struct Pomset {
    std::vector<PomsetEvent> events;
    // Which event is directly before which: the order is the transitive closure, and no pair of the list
    // follows from the others. Sorted.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
};

struct PomsetLimits {
    std::uint32_t rounds = 2;     // of every loop
    std::size_t branches = 1000;  // pomsets, in all
    std::size_t events = 20'000;  // in all
};

struct PomsetFamily {
    std::vector<Pomset> branches;  // in order of the text: first branches first, fewer rounds first
    std::string reason;            // why there are none, or why there are not all; empty if all are there
};

PomsetFamily enumerate_pomsets(const model::Specification& specification, const model::Protocol& protocol,
                               const PomsetLimits& limits = {});

}  // namespace treaty::choreo
