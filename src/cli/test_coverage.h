// What a test has covered, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/session.h"
#include "drive/part.h"

namespace treaty::cli {

std::uint32_t line_of(const Session& session, const model::Protocol& protocol, model::NodeId node);

// One sentence for each step that was never seen: who would have to take which decision, and whether it can
// happen at all; and one for each field of which classes of values were never seen. Adds the coverage to the
// result. part: of the component; of a campaign that failed, what the component never does is not known.
std::vector<std::string> add_coverage(Session& session, const ProtocolInput& input, drive::Part& part,
                                      const drive::Coverage& coverage, bool all_passed);

}  // namespace treaty::cli
