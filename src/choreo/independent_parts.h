// Splits a term into parts that share no role and do not depend on each other.
//
// The parts side by side (parallel) mean the same set of pomsets as the term. They are found by the shape of
// the term: what a sequence or a parallel block does with separate roles is separate, and a choice is
// separate if every combination of what its branches do in one part and in another is a branch. So parts may
// be coarser than necessary, never wrong. A term with something endless inside has one part.
#pragma once

#include <functional>
#include <vector>

#include "choreo/residual_terms.h"
#include "model/protocol.h"

namespace treaty::choreo {

// The terms of a range, one for each of its children.
using RangeParts = std::function<std::vector<TermId>(TermId range)>;

std::vector<TermId> independent_parts(TermPool& pool, const model::Protocol& protocol, TermId term,
                                      const RangeParts& range_parts);

}  // namespace treaty::choreo
