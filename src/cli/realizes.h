// Whether the machines of a system do only what their protocol allows: the words of its runs are words of the
// protocol's pomset language. Together with safety this is realizability (000, definition 3.3).
#pragma once

#include "cli/inputs.h"
#include "cli/session.h"
#include "explore/inclusion.h"

namespace treaty::cli {

// Undecided, with the reason, where the protocol has no pomset meaning, the space is infinite, or a limit
// came first.
explore::InclusionReport realizes(const Session& session, const model::System& system,
                                  const ProtocolInput& input, explore::ProgressCallback progress);

}  // namespace treaty::cli
