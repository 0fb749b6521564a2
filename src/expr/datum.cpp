#include "expr/datum.h"

#include <cmath>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_string.h"
#include "base/utf8.h"

namespace treaty::expr {
namespace {

std::string json_text(std::string_view text) {
    std::string out;
    base::append_json_string(out, text);
    return out;
}

std::string number(double real) {
    if (!std::isfinite(real)) return "null";
    std::string out = fmt::format("{}", real);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

struct Printer {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double r) const { return number(r); }
    std::string operator()(const std::string& s) const {
        return base::is_utf8(s) ? json_text(s) : fmt::format("{{\"hex\":\"{}\"}}", base::to_hex(s));
    }
    std::string operator()(const Bytes& b) const { return fmt::format("0x\"{}\"", base::to_hex(b.data)); }
    std::string operator()(const DatumList& list) const {
        std::string out = "[";
        for (const Datum& one : list) out += (out.size() > 1 ? "," : "") + print(one);
        return out + "]";
    }
    std::string operator()(const DatumFields& fields) const {
        std::string out = "{";
        for (const auto& [name, value] : fields)
            out += (out.size() > 1 ? "," : "") + json_text(name) + ":" + print(value);
        return out + "}";
    }
};

// With texts as keys an object, else a list of pairs.
Datum datum_of_map(const Value& value, TypeId type, const Types& types, const base::Names& names) {
    bool texts = types.kind(types.key_of(type)) == TypeKind::string;
    for (const Value& entry : value.items()) texts = texts && base::is_utf8(entry.items()[0].string());
    DatumFields fields;
    DatumList pairs;
    for (const Value& entry : value.items()) {
        Datum held = datum_of(entry.items()[1], types.value_of(type), types, names);
        if (texts)
            fields.emplace_back(entry.items()[0].string(), std::move(held));
        else
            pairs.push_back(
                DatumList{datum_of(entry.items()[0], types.key_of(type), types, names), std::move(held)});
    }
    if (texts) return fields;
    return pairs;
}

}  // namespace

Datum datum_of(const Value& value, TypeId type, const Types& types, const base::Names& names) {
    const Type& t = types[type];
    switch (t.kind) {
        case TypeKind::boolean: return value.boolean();
        case TypeKind::integer: return value.integer();
        case TypeKind::real: return value.real();
        case TypeKind::string: return value.string();
        case TypeKind::bytes: return std::get<Bytes>(value.v);
        case TypeKind::map: return datum_of_map(value, type, types, names);
        case TypeKind::set:
        case TypeKind::list: {
            DatumList list;
            for (const Value& v : value.items()) list.push_back(datum_of(v, t.element, types, names));
            return list;
        }
        case TypeKind::optional:
            return value.items().empty() ? Datum() : datum_of(value.items()[0], t.element, types, names);
        case TypeKind::record: {
            DatumFields fields;
            for (std::size_t i = 0; i < t.fields.size(); ++i)
                fields.emplace_back(names.text(t.fields[i].name),
                                    datum_of(value.items()[i], t.fields[i].type, types, names));
            return fields;
        }
        case TypeKind::enumeration:
        case TypeKind::unknown: break;
    }
    return print(value, type, types, names);
}

std::string print(const Datum& datum) {
    return std::visit(Printer{}, datum.v);
}

}  // namespace treaty::expr
