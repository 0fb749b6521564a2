#include "report/answers/unknown_records.h"

#include <fmt/format.h>

namespace treaty::report {
namespace {

constexpr std::size_t most_shown = 5;

}  // namespace

Json to_json(const std::vector<api::UnknownKind>& unknown) {
    Json all = Json::array();
    for (const api::UnknownKind& one : unknown)
        all.push_back({{"source", one.log},
                       {"line", one.line},
                       {"text", one.text},
                       {"reason", one.reason},
                       {"count", one.count}});
    return all;
}

std::string print(const std::vector<api::UnknownKind>& unknown) {
    std::string out;
    for (std::size_t i = 0; i < unknown.size() && i < most_shown; ++i) {
        const api::UnknownKind& one = unknown[i];
        std::string others = one.count > 1 ? fmt::format(" ({} like it)", one.count) : std::string();
        out += fmt::format("not understood: {}:{}: {}{}\n", one.log, one.line, one.reason, others);
        if (!one.text.empty()) out += fmt::format("    {}\n", one.text);
    }
    if (unknown.size() > most_shown)
        out += fmt::format("not understood: {} more kinds of records (--json lists them)\n",
                           unknown.size() - most_shown);
    return out;
}

}  // namespace treaty::report
