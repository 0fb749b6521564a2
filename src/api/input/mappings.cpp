#include "api/input/mappings.h"

#include <algorithm>

#include <fmt/format.h>

#include "watch/codes.h"

namespace treaty::api {
namespace {

std::shared_ptr<const watch::Mapping> read(const Inquiry& inquiry, const std::string& name) {
    std::string text;
    if (auto known = watch::ready_made_mapping(name)) {
        text = *known;
    } else {
        auto file = inquiry.workspace.read(name);
        if (!file) {
            inquiry.report(watch::codes::mapping_unreadable, fmt::format("{}: {}", name, file.error()))
                .help(fmt::format("a mapping is a file, or one of: {}",
                                  fmt::join(watch::ready_made_mappings(), ", ")));
            return nullptr;
        }
        text = std::move(*file);
    }
    return watch::read_mapping(inquiry.sources().add(name, std::move(text)), inquiry.sources(),
                               inquiry.diagnostics());
}

}  // namespace

Mappings::Mappings(const Inquiry& inquiry, const std::vector<std::string>& named,
                   const std::vector<std::string>& logs) {
    for (const std::string& entry : named) {
        auto equals = entry.find('=');
        std::string log = equals == std::string::npos ? std::string() : entry.substr(0, equals);
        bool known = log.empty() || std::any_of(logs.begin(), logs.end(), [&](const std::string& one) {
                         return log_named(one).path == log;
                     });
        if (!known)
            inquiry.report(watch::codes::mapping_unreadable,
                           fmt::format("--as {}: {} is not one of the logs", entry, log));
        auto mapping = read(inquiry, equals == std::string::npos ? entry : entry.substr(equals + 1));
        if (mapping) entries_.push_back({std::move(log), std::move(mapping)});
    }
}

const watch::Mapping* Mappings::of(const LogName& log) const {
    const watch::Mapping* found = nullptr;
    for (const Entry& entry : entries_) {
        if (entry.log == log.path) return entry.mapping.get();
        if (entry.log.empty() && !found) found = entry.mapping.get();
    }
    return found;
}

std::vector<const watch::Mapping*> Mappings::all() const {
    std::vector<const watch::Mapping*> mappings;
    for (const Entry& entry : entries_) mappings.push_back(entry.mapping.get());
    return mappings;
}

std::vector<UnknownKind> unknown_kinds(const watch::Merge& merge, const std::vector<std::string>& names) {
    std::vector<UnknownKind> kinds;
    for (const watch::Merge::Unknown& one : merge.unknown())
        kinds.push_back(
            {names[one.source], one.records.line, one.records.text, one.records.reason, one.records.count});
    return kinds;
}

}  // namespace treaty::api
