#include "watch/record.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace treaty::watch {
namespace {

bool is_name(std::string_view text) {
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

void Record::clear() {
    line = 0;
    time_ns.reset();
    side = Side::sent;
    from = to = {};
    message = {};
    name.clear();
    values.clear();
    misfit.clear();
    session.clear();
    correlation.clear();
    undecodable = hole = backwards = false;
    rest = Rest::known;
}

std::string misfit_of(const model::Specification& specification, const expr::Field& field,
                      std::optional<std::string_view> found) {
    constexpr std::size_t longest = 60;
    std::string name(specification.names->text(field.name));
    if (!found) return fmt::format("the field {} is missing", name);
    std::size_t end = std::min(longest, found->size());
    while (end > 0 && end < found->size() && base::is_continuation((*found)[end])) --end;
    return fmt::format("{}: expected {}, found {}{}", name,
                       specification.types->print(field.type, *specification.names), found->substr(0, end),
                       end < found->size() ? "..." : "");
}

Vocabulary::Vocabulary(const model::Specification& specification, const model::Protocol& protocol)
    : specification_(specification) {
    for (model::RoleId role : protocol.roles()) roles_.emplace(specification.alphabet->name(role), role);
}

model::RoleId Vocabulary::role(std::string_view name) const {
    absl::string_view key(name.data(), name.size());
    if (!addresses_.empty())
        if (auto found = addresses_.find(key); found != addresses_.end()) return found->second;
    if (auto found = roles_.find(key); found != roles_.end()) return found->second;
    if (auto slash = name.rfind('/'); slash != std::string_view::npos) return role(name.substr(slash + 1));
    return learning_ && is_name(name) ? learning_->alphabet->role(name) : model::RoleId();
}

void Vocabulary::set_message(Record& record, std::string_view name) const {
    record.name = name;
    record.message = specification_.alphabet->find_message(name);
    if (record.message || !learning_ || !is_name(name)) return;
    record.message = learning_->alphabet->message(name);
    learning_->messages.resize(learning_->alphabet->message_count());
}

std::optional<SessionRule> SessionRule::parse(std::string_view text) {
    if (text == "session" || text == "connection") return SessionRule{};
    if (text == "id") return SessionRule{By::id, {}};
    if (text.starts_with("field:") && text.size() > 6)
        return SessionRule{By::field, std::string(text.substr(6))};
    return std::nullopt;
}

std::vector<std::string> SessionRule::fields(const model::Specification& specification) {
    std::vector<std::string> names;
    for (const model::Message& message : specification.messages)
        for (const expr::Field& field : message.fields) {
            std::string name(specification.names->text(field.name));
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
        }
    return names;
}

bool SessionRule::apply(Record& record, const model::Specification& specification) const {
    if (by == By::id) record.session = record.correlation;
    if (by != By::field) return by == By::given || !record.correlation.empty();
    if (!record.message) return false;
    const auto& fields = specification.message(record.message).fields;
    for (std::size_t i = 0; i < fields.size() && i < record.values.size(); ++i)
        if (specification.names->text(fields[i].name) == field) {
            const expr::Value& value = record.values[i];
            auto* text = std::get_if<std::string>(&value.v);
            record.session =
                text ? *text : expr::print(value, fields[i].type, *specification.types, *specification.names);
            return true;
        }
    return false;
}

}  // namespace treaty::watch
