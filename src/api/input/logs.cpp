#include "api/input/logs.h"

#include <fmt/format.h>

#include "watch/codes.h"

namespace treaty::api {

LogName log_named(const std::string& text) {
    auto equals = text.find('=');
    if (equals == std::string::npos) return {std::nullopt, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void report_garbled(const Inquiry& inquiry, const watch::Merge& merge,
                    const std::vector<std::string>& names) {
    for (const watch::Fault& f : merge.faults())
        inquiry.report(watch::codes::record_garbled,
                       fmt::format("{}:{}: {}", names[f.source], f.line, f.reason));
}

}  // namespace treaty::api
