#include "api/input/value_json.h"

#include <nlohmann/json.hpp>

#include "base/hex.h"
#include "base/utf8.h"

namespace treaty::api {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool b) const { return b; }
    Json operator()(std::int64_t i) const { return i; }
    Json operator()(double r) const { return r; }
    Json operator()(const std::string& s) const { return json_of_text(s); }
    Json operator()(const expr::Bytes& b) const { return base::to_hex(b.data); }
    Json operator()(const expr::DatumList& list) const {
        Json out = Json::array();
        for (const expr::Datum& one : list) out.push_back(json_of(one));
        return out;
    }
    Json operator()(const expr::DatumFields& fields) const { return json_of(fields); }
};

}  // namespace

Json json_of(const expr::Datum& datum) {
    return std::visit(ToJson{}, datum.v);
}

Json json_of(const expr::DatumFields& fields) {
    Json out = Json::object();
    for (const auto& [name, value] : fields) out[name] = json_of(value);
    return out;
}

Json json_of(const expr::Value& value, expr::TypeId type, const expr::Types& types,
             const base::Names& names) {
    return json_of(expr::datum_of(value, type, types, names));
}

Json json_of_text(const std::string& text) {
    return base::is_utf8(text) ? Json(text) : Json{{"hex", base::to_hex(text)}};
}

std::optional<std::string> text_of_json(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    if (!json.is_object() || json.size() != 1 || !json.contains("hex") || !json["hex"].is_string())
        return std::nullopt;
    return base::from_hex(json["hex"].get<std::string>());
}

}  // namespace treaty::api
