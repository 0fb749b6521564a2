// Protocol to global Net: what a whole conversation may do, step by step.
//
// One labelled transition an interaction, with its data; everything else is silent. Parallel branches have
// tokens of their own, a choice is a place with several consumers, semaphores are places. An interruptible
// block holds an extra token on an `active` place as long as it runs: its normal end and its interrupt both
// take that token, so they exclude each other. The interrupt also empties the places of the block and the
// semaphores that only the block uses. A block whose last step is done may still be interrupted until its
// end, which is a silent step of its own, has been taken.
//
// Size and time are linear in the protocol; each interrupt also lists the places of what it interrupts.
// Gives nothing for a `continue` that would leave a parallel branch: there is no meaning for the branches
// abandoned (readers of text refuse it with a diagnostic). Fewer silent steps: reduce_net.h.
#pragma once

#include <optional>

#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

std::optional<model::Net> compile_net(const model::Specification& specification,
                                      const model::Protocol& protocol);

}  // namespace treaty::choreo
