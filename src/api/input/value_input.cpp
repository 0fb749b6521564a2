#include "api/input/value_input.h"

#include <nlohmann/json.hpp>

#include "api/input/value_json.h"
#include "base/hex.h"

namespace treaty::api {
namespace {

using Json = nlohmann::ordered_json;

std::optional<expr::Value> value_of(const model::Specification& s, expr::TypeId type, const Json& json);

std::optional<expr::Value> bytes_of(const std::string& digits) {
    auto bytes = base::from_hex(digits);
    if (!bytes) return std::nullopt;
    return expr::Value(expr::Bytes{*bytes});
}

std::optional<expr::Value> member_named(const model::Specification& s, const expr::Type& type,
                                        const std::string& name) {
    for (std::uint32_t i = 0; i < type.members.size(); ++i)
        if (s.names->text(type.members[i]) == name) return expr::Value(expr::EnumMember{i});
    return std::nullopt;
}

std::optional<expr::Value> sequence_of(const model::Specification& s, const expr::Type& type,
                                       const Json& json) {
    expr::Sequence all;
    auto add = [&](expr::TypeId item, const Json& part) {
        auto value = value_of(s, item, part);
        if (value) all.items.push_back(std::move(*value));
        return value.has_value();
    };
    if (type.kind == expr::TypeKind::optional) {
        if (!json.is_null() && !add(type.element, json)) return std::nullopt;
    } else if (type.kind == expr::TypeKind::list) {
        if (!json.is_array()) return std::nullopt;
        for (const Json& part : json)
            if (!add(type.element, part)) return std::nullopt;
    } else {
        if (!json.is_object() || json.size() != type.fields.size()) return std::nullopt;
        for (const expr::Field& field : type.fields) {
            std::string name(s.names->text(field.name));
            if (!json.contains(name) || !add(field.type, json[name])) return std::nullopt;
        }
    }
    return expr::Value(std::move(all));
}

std::optional<expr::Value> value_of(const model::Specification& s, expr::TypeId type, const Json& json) {
    const expr::Type& t = (*s.types)[type];
    switch (t.kind) {
        case expr::TypeKind::boolean:
            return json.is_boolean() ? std::optional<expr::Value>(json.get<bool>()) : std::nullopt;
        case expr::TypeKind::integer:
            if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
            return json.is_number_integer() ? std::optional<expr::Value>(json.get<std::int64_t>())
                                            : std::nullopt;
        case expr::TypeKind::real:
            return json.is_number() ? std::optional<expr::Value>(json.get<double>()) : std::nullopt;
        case expr::TypeKind::string:
            if (auto text = text_of_json(json)) return expr::Value(std::move(*text));
            return std::nullopt;
        case expr::TypeKind::bytes:
            return json.is_string() ? bytes_of(json.get<std::string>()) : std::nullopt;
        case expr::TypeKind::enumeration:
            return json.is_string() ? member_named(s, t, json.get<std::string>()) : std::nullopt;
        case expr::TypeKind::list:
        case expr::TypeKind::optional:
        case expr::TypeKind::record: return sequence_of(s, t, json);
        default: return std::nullopt;
    }
}

bool takes_words(expr::TypeKind kind) {
    return kind == expr::TypeKind::string || kind == expr::TypeKind::bytes ||
           kind == expr::TypeKind::enumeration;
}

}  // namespace

std::optional<expr::Value> read_value(const model::Specification& s, expr::TypeId type,
                                      std::string_view text) {
    Json json;
    bool quoted = !text.empty() && text.front() == '"';
    if (takes_words((*s.types)[type].kind) && !quoted)
        json = std::string(text);
    else
        json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    auto value = value_of(s, type, json);
    if (value && !expr::belongs(*value, type, *s.types)) return std::nullopt;
    return value;
}

std::string describe_type(const model::Specification& s, expr::TypeId type) {
    const expr::Type& t = (*s.types)[type];
    if (t.kind != expr::TypeKind::enumeration) return s.types->print(type, *s.names);
    std::string out = "one of ";
    for (std::size_t i = 0; i < t.members.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::string(s.names->text(t.members[i]));
    return out;
}

}  // namespace treaty::api
