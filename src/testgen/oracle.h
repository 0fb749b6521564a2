// Where a test may have succeeded, for any part of a protocol (Coto 2023, definitions 3.8 and 3.9).
//
// The success states of a role for a step are those in which it has nothing to do in that step any more: its
// part is done, or the branch that holds it was not taken; and all states in which it may end. For the whole
// protocol these are the final states, the default. This is an oracle scheme wherever the projections are
// safe: a maximal run ends in a configuration in which every role may end (holds_for_all_runs asks it of any
// states).
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "testgen/comply.h"
#include "testgen/projections.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

// The steps of the projections' protocol that are named by "LINE", "LINE:COLUMN" or the name of a `rec` block
// of the original: those that begin there and are contained in no other that does. A loop that was unrolled
// gives one for each round. Empty if the original has no such step.
std::vector<model::NodeId> find_steps(const Projections& projections, const model::Protocol& original,
                                      const base::SourceMap& sources, std::string_view name);

// A fault if a machine became too large.
base::Result<SuccessStates> success_states(const Projections& projections,
                                           const std::vector<model::NodeId>& steps);

// Definition 3.9 for one step: does every maximal run of the projections have a configuration with empty
// channels in which every role is in one of these states?
Compliance holds_for_all_runs(const Projections& projections, const SuccessStates& states,
                              const model::Channels& channels);

}  // namespace treaty::testgen
