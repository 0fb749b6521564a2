// Logs of traffic, as questions name them: FILE, or ROLE=FILE for the log of one role; "-" is standard input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "watch/merge.h"

namespace treaty::api {

struct LogName {
    std::optional<std::string> role;  // none: its records tell
    std::string path;
};
LogName log_named(const std::string& text);

// Reports the first records that could not be understood, as warnings. `names` are the logs, by source.
void report_garbled(const Inquiry& inquiry, const watch::Merge& merge, const std::vector<std::string>& names);
// The same for logs that are read by a mapping: the first kinds of records that it does not explain.
void report_unknown(const Inquiry& inquiry, const watch::Merge& merge, const std::vector<std::string>& names);

}  // namespace treaty::api
