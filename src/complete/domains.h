// Fault domains: what the system under test might be.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "explore/refine/refine.h"
#include "model/machine.h"

namespace treaty::complete {

// Whether successful ends are among what can be seen.
enum class Ends : std::uint8_t { seen, ignored };

// Any process over these events: nothing is known. With refusals observed it may also refuse whatever it
// likes.
model::Machine any_process(const std::shared_ptr<model::Alphabet>& alphabet,
                           std::span<const model::LabelId> events, explore::Observation observation,
                           Ends ends = Ends::ignored);

// The specification and every machine that one change makes of it: an edge with another event, an edge to
// another state, an added edge, an edge less, an end more or less. One machine that chooses one of them
// silently at first. Nothing if that has more than max_states states.
std::optional<model::Machine> mutants(const model::Machine& specification,
                                      std::span<const model::LabelId> events, std::size_t max_states,
                                      Ends ends = Ends::ignored);

// The visible labels of what is reachable, sorted, and whether it can end: all, unless the graph broke or has
// more than max_states states.
struct Events {
    std::vector<model::LabelId> labels;
    bool ends = false;
    bool all = true;
};
Events events_of(explore::Graph& graph, std::size_t max_states);

}  // namespace treaty::complete
