// `treaty project --smart`: the interactions a protocol lacks, and the protocol with them.
#pragma once

#include <optional>
#include <string>

#include "cli/inputs.h"
#include "cli/session.h"

namespace treaty::cli {

// Adds to the result what is missing and what was added, and puts the mended protocol into the input, behind
// the others. False if the run is over: bad mode, or nothing could be found.
bool add_interactions(Session& session, ProtocolInput& input, const std::string& mode);

}  // namespace treaty::cli
