// What a test has covered, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/session.h"
#include "drive/coverage.h"

namespace treaty::cli {

std::uint32_t line_of(const Session& session, const model::Protocol& protocol, model::NodeId node);

// One sentence for each step that was never seen: who would have to take which decision, and whether it can
// happen at all; adds the coverage to the result.
std::vector<std::string> add_coverage(Session& session, const ProtocolInput& input, model::RoleId cut,
                                      const drive::Coverage& coverage, bool all_passed);

}  // namespace treaty::cli
