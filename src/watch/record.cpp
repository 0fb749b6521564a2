#include "watch/record.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/decimal.h"
#include "base/hex.h"

namespace treaty::watch {
namespace {

// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
    year -= month <= 2;
    std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    std::int64_t of_era = year - era * 400;
    std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

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
    hole = backwards = false;
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

namespace {

// Minutes east of Greenwich of "Z", "+02:00", "-0330" or nothing (which is read as Z).
std::optional<int> zone_of(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.empty() || (text[0] != '+' && text[0] != '-')) return 0;
    int hours = 0, minutes = 0;
    std::string copy(text.substr(1, 8));
    int read = std::sscanf(copy.c_str(), "%2d:%2d", &hours, &minutes);
    if (read == 1) read = std::sscanf(copy.c_str(), "%2d%2d", &hours, &minutes);
    if (read < 1 || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, used = 0;
    std::string copy(text.substr(0, 64));
    bool iso = std::sscanf(copy.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%n", &year, &month, &day, &hour, &minute,
                           &used) == 5;
    if (!iso &&
        std::sscanf(copy.c_str(), "%2d/%2d/%4d %2d:%2d:%n", &day, &month, &year, &hour, &minute, &used) != 5)
        return std::nullopt;
    std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(used));
    std::size_t size = base::decimal_prefix(rest);
    auto second = base::scaled_decimal(rest.substr(0, size), 1'000'000'000);
    auto zone = zone_of(rest.substr(size));
    if (used == 0 || !second || !zone || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 ||
        minute > 59 || *second >= 61'000'000'000 || *second < 0 || hour < 0 || minute < 0 || year < 1700 ||
        year > 2200)
        return std::nullopt;
    std::int64_t whole = (days_of(year, month, day) * 24 + hour) * 60 + minute - *zone;
    return whole * 60'000'000'000 + *second;
}

std::optional<expr::Value> value_of_text(std::string_view text, expr::TypeId type, const expr::Types& types,
                                         const base::Names& names) {
    auto number = [&]<class T>(T value) -> std::optional<expr::Value> {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return expr::Value(value);
    };
    const expr::Type& t = types[type];
    std::optional<expr::Value> result;
    switch (t.kind) {
        case expr::TypeKind::integer: result = number(std::int64_t{}); break;
        case expr::TypeKind::real: result = number(double{}); break;
        case expr::TypeKind::boolean:
            if (text == "true" || text == "false") result = expr::Value(text == "true");
            break;
        case expr::TypeKind::string: result = expr::Value(std::string(text)); break;
        case expr::TypeKind::bytes:
            if (std::string bytes; base::from_hex(text, bytes))
                result = expr::Value(expr::Bytes{std::move(bytes)});
            break;
        case expr::TypeKind::enumeration:
            for (std::uint32_t i = 0; i < t.members.size(); ++i)
                if (names.text(t.members[i]) == text) result = expr::Value(expr::EnumMember{i});
            break;
        default: break;
    }
    if (result && !expr::belongs(*result, type, types)) result.reset();
    return result;
}

}  // namespace treaty::watch
