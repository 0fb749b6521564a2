// What `treaty watch` says at the end: verdicts of roles, of the whole and of properties, coverage, and the
// first deviation as a run.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/session.h"
#include "watch/merge.h"
#include "watch/monitor.h"
#include "watch/property_check.h"
#include "watch/totals.h"

namespace treaty::cli {

// `names` are the logs, by source.
void fill_watch_result(Session& session, const ProtocolInput& input, const watch::Monitor& monitor,
                       const watch::Merge& merge, const watch::Totals& totals, watch::Order order,
                       const std::vector<std::string>& names);

// The run that a check of a property found.
report::Run run_of(const ProtocolInput& input, const watch::PropertyStanding& standing);

}  // namespace treaty::cli
