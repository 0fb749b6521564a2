// A protocol with interactions added before and after some of its steps.
#pragma once

#include <optional>
#include <vector>

#include "model/specification.h"
#include "repair/addition.h"

namespace treaty::repair {

// Whether it is at the beginning of every round of a loop, and before its end: then it is written twice,
// before the loop and after each round.
bool in_each_round(const model::Protocol& protocol, const Addition& addition);

// Declares the added messages in the specification. Gives nothing if an addition has no single place in the
// text (before the end of a run, say); then only the graph shows it.
std::optional<model::Protocol> with_additions(model::Specification& specification,
                                              const model::Protocol& protocol,
                                              const std::vector<Addition>& additions);

}  // namespace treaty::repair
