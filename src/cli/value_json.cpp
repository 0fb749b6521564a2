#include "cli/value_json.h"

#include "cli/wire_inputs.h"
#include "expr/print.h"
#include "formats/utf8.h"

namespace treaty::cli {

report::Json json_of_text(const std::string& text) {
    return formats::is_utf8(text) ? report::Json(text) : report::Json{{"hex", hexadecimal(text)}};
}

std::optional<std::string> text_of_json(const report::Json& json) {
    if (json.is_string()) return json.get<std::string>();
    if (!json.is_object() || json.size() != 1 || !json.contains("hex") || !json["hex"].is_string())
        return std::nullopt;
    return from_hexadecimal(json["hex"].get<std::string>());
}

report::Json json_of(const expr::Value& value, expr::TypeId type, const expr::Types& types,
                     const base::Names& names) {
    const expr::Type& t = types[type];
    switch (t.kind) {
        case expr::TypeKind::boolean: return value.boolean();
        case expr::TypeKind::integer: return value.integer();
        case expr::TypeKind::real: return value.real();
        case expr::TypeKind::string: return json_of_text(value.string());
        case expr::TypeKind::bytes: return hexadecimal(std::get<expr::Bytes>(value.v).data);
        case expr::TypeKind::list: {
            report::Json list = report::Json::array();
            for (const expr::Value& v : value.items()) list.push_back(json_of(v, t.element, types, names));
            return list;
        }
        case expr::TypeKind::optional:
            return value.items().empty() ? report::Json()
                                         : json_of(value.items()[0], t.element, types, names);
        case expr::TypeKind::record: {
            report::Json record = report::Json::object();
            for (std::size_t i = 0; i < t.fields.size(); ++i)
                record[std::string(names.text(t.fields[i].name))] =
                    json_of(value.items()[i], t.fields[i].type, types, names);
            return record;
        }
        default: return expr::print(value, type, types, names);
    }
}

}  // namespace treaty::cli
