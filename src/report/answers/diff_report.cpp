#include "report/answers.h"

#include <fmt/format.h>

#include "api/diff.h"

namespace treaty::report {
namespace {

std::string_view word(api::Change change) {
    switch (change) {
        case api::Change::added: return "added";
        case api::Change::removed: return "removed";
        case api::Change::changed: return "changed";
    }
    return "";
}

std::string_view word(const api::RoleChange& role) {
    if (role.change) return word(*role.change);
    return role.part.verdict == api::Verdict::undecided ? "undecided" : "same";
}

void add(Own& own, const api::DeclarationChange& change) {
    own.text += fmt::format("{} {}: {}\n", change.kind, change.name, word(change.change));
    // What fits in a line each is shown.
    auto one_line = [](const std::string& text) { return text.find('\n') + 1 == text.size(); };
    if (change.change == api::Change::changed && one_line(change.before) && one_line(change.after))
        own.text += fmt::format("  - {}  + {}", change.before, change.after);
    Json entry = {{"kind", change.kind}, {"name", change.name}, {"change", word(change.change)}};
    if (!change.before.empty()) entry["before"] = change.before;
    if (!change.after.empty()) entry["after"] = change.after;
    own.fields["changes"].push_back(std::move(entry));
}

std::string title_of(const api::ProtocolChange& protocol) {
    if (protocol.before.empty() || protocol.after.empty() || protocol.before == protocol.after)
        return protocol.before.empty() ? protocol.after : protocol.before;
    return fmt::format("{}, formerly {}", protocol.after, protocol.before);
}

Json to_json(const api::RoleChange& role) {
    Json entry = {{"role", role.role}, {"part", word(role)}};
    if (!role.part.reason.empty()) entry["reason"] = role.part.reason;
    if (role.part.only_before) entry["only_before"] = report::to_json(*role.part.only_before);
    if (role.part.only_after) entry["only_after"] = report::to_json(*role.part.only_after);
    return entry;
}

void add(Own& own, const api::ProtocolChange& protocol) {
    own.text += fmt::format("roles of {}:\n", title_of(protocol));
    Json roles = Json::array();
    for (const api::RoleChange& role : protocol.roles) {
        own.text += fmt::format("  {}: {}{}\n", role.role, word(role),
                                role.part.reason.empty() ? "" : ": " + role.part.reason);
        roles.push_back(to_json(role));
    }
    auto or_null = [](const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); };
    own.fields["protocols"].push_back({{"before", or_null(protocol.before)},
                                       {"after", or_null(protocol.after)},
                                       {"roles", std::move(roles)}});
}

}  // namespace

Own own_part(const api::DiffAnswer& answer) {
    Own own;
    if (!answer.compared) return own;
    own.fields["changes"] = Json::array();
    own.fields["protocols"] = Json::array();
    for (const api::DeclarationChange& change : answer.changes) add(own, change);
    for (const api::ProtocolChange& protocol : answer.protocols)
        if (!protocol.roles.empty()) add(own, protocol);
    return own;
}

}  // namespace treaty::report
