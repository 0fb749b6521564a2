#include "api/input/value_input.h"

#include <nlohmann/json.hpp>

#include "expr/value_text.h"

namespace treaty::api {
namespace {

using Json = nlohmann::ordered_json;

// A parsed document, for expr::JsonValues.
class Node {
public:
    explicit Node(const Json& json) : json_(&json) {}

    bool null() const { return json_->is_null(); }
    std::optional<bool> boolean() const {
        return json_->is_boolean() ? std::optional(json_->get<bool>()) : std::nullopt;
    }
    std::optional<std::int64_t> integer() const {
        if (json_->is_number_unsigned() && json_->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
        return json_->is_number_integer() ? std::optional(json_->get<std::int64_t>()) : std::nullopt;
    }
    std::optional<double> real() const {
        return json_->is_number() ? std::optional(json_->get<double>()) : std::nullopt;
    }
    std::optional<std::string_view> text() const {
        if (!json_->is_string()) return std::nullopt;
        return json_->get_ref<const std::string&>();
    }
    std::optional<Node> member(std::string_view key) const {
        auto found = json_->find(std::string(key));
        if (!json_->is_object() || found == json_->end()) return std::nullopt;
        return Node(*found);
    }
    std::optional<std::size_t> members() const {
        return json_->is_object() ? std::optional(json_->size()) : std::nullopt;
    }
    template <class F>
    bool items(F&& f) const {
        if (!json_->is_array()) return false;
        for (const Json& item : *json_)
            if (!f(Node(item))) return false;
        return true;
    }

    template <class F>
    bool each_member(F&& f) const {
        if (!json_->is_object()) return false;
        for (const auto& [key, value] : json_->items())
            if (!f(std::string_view(key), Node(value))) return false;
        return true;
    }

private:
    const Json* json_;
};

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
    return expr::JsonValues<Node>(*s.types, *s.names, expr::OtherMembers::refused).read(Node(json), type);
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
