// The results of a watch, in an answer: verdicts of roles, of the whole and of properties, coverage,
// and the first deviation as a run.
#pragma once

#include <string>
#include <vector>

#include "api/input/inputs.h"
#include "api/watch.h"
#include "watch/watcher.h"

namespace treaty::api {

// A watch that has ended.
struct WatchEnd {
    const ProtocolInput& input;
    const watch::Watcher& watcher;
    const watch::Monitor& monitor;
    const watch::Merge& merge;
    const watch::Totals& totals;
    const std::vector<std::string>& logs;  // by source
    const std::string& session;            // what tells sessions apart
};

// Fills in everything, the verdict too.
void tell_findings(const Inquiry& inquiry, const WatchEnd& end, WatchAnswer& answer);

}  // namespace treaty::api
