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

void report_unknown(const Inquiry& inquiry, const watch::Merge& merge,
                    const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::vector<watch::Merge::Unknown> kinds = merge.unknown();
    for (std::size_t i = 0; i < kinds.size() && i < most; ++i) {
        const watch::UnknownRecords& one = kinds[i].records;
        std::string others = one.count > 1 ? fmt::format(" ({} like it)", one.count) : std::string();
        inquiry
            .report(watch::codes::record_garbled,
                    fmt::format("{}:{}: {}{}", names[kinds[i].source], one.line, one.reason, others))
            .help(one.text);
    }
}

}  // namespace treaty::api
