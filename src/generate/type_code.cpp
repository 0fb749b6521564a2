#include "generate/type_code.h"

#include <fmt/format.h>

#include "expr/has_value.h"
#include "generate/literals.h"

namespace treaty::generate {

using expr::TypeKind;

std::string TypeCode::refuse(std::string what) {
    if (refusal_.empty()) refusal_ = std::move(what);
    return "?";
}

std::string TypeCode::name_of(expr::TypeId named) const {
    return declared_.name({Declared::type, named.index}, names_.text(types_[named].name));
}

std::string TypeCode::member_name(expr::TypeId enumeration, std::size_t index) const {
    return identifier(names_.text(types_[enumeration].members[index]), language());
}

std::string TypeCode::field_name(expr::NameId name) const {
    return identifier(names_.text(name), language());
}

std::string TypeCode::print(expr::TypeId id) {
    const expr::Type& type = types_[id];
    bool cpp = language() == Language::cpp, python = language() == Language::python;
    auto pick = [&](const char* a, const char* b, const char* c) -> std::string {
        return cpp ? a : python ? b : c;
    };
    switch (type.kind) {
        case TypeKind::boolean: return pick("bool", "bool", "boolean");
        case TypeKind::integer: return pick("std::int64_t", "int", "bigint");
        case TypeKind::real: return pick("double", "float", "number");
        case TypeKind::string: return pick("std::string", "str", "string");
        case TypeKind::bytes: return pick("treaty::Bytes", "bytes", "Uint8Array");
        case TypeKind::enumeration: return qualifier_ + name_of(id);
        case TypeKind::record: return type.name ? qualifier_ + name_of(id) : refuse("an entry of a map");
        case TypeKind::list:
            return fmt::format(fmt::runtime(pick("std::vector<{}>", "tuple[{}, ...]", "readonly ({})[]")),
                               print(type.element));
        case TypeKind::optional:
            if (!cpp && types_.kind(type.element) == TypeKind::optional)
                return refuse("an optional of an optional");
            return fmt::format(fmt::runtime(pick("std::optional<{}>", "{} | None", "{} | null")),
                               print(type.element));
        case TypeKind::set:
            if (language() == Language::typescript) return refuse("a set");
            return fmt::format(fmt::runtime(pick("std::set<{}>", "frozenset[{}]", "")), print(type.element));
        case TypeKind::map:
            if (language() == Language::typescript) return refuse("a map");
            return fmt::format(fmt::runtime(pick("std::map<{}, {}>", "dict[{}, {}]", "")),
                               print(types_.key_of(id)), print(types_.value_of(id)));
        case TypeKind::unknown: break;
    }
    return refuse("a type that is not known");
}

std::string TypeCode::sequence(TypeKind kind, const std::string& items, std::size_t count) const {
    if (language() == Language::typescript) return fmt::format("[{}]", items);
    if (kind == TypeKind::set) return count == 0 ? "frozenset()" : fmt::format("frozenset({{{}}})", items);
    return fmt::format("({}{})", items, count == 1 ? "," : "");
}

std::string TypeCode::sequence_literal(const expr::Value& value, const expr::Type& type, expr::TypeId id) {
    bool cpp = language() == Language::cpp, python = language() == Language::python;
    std::string items;
    auto add = [&](const std::string& item) { items += (items.empty() ? "" : ", ") + item; };
    const auto& values = value.items();
    switch (type.kind) {
        case TypeKind::list:
        case TypeKind::set:
            for (const expr::Value& item : values) add(literal(item, type.element));
            if (cpp) return fmt::format("{}{{{}}}", print(id), items);
            return sequence(type.kind, items, values.size());
        case TypeKind::map:
            for (const expr::Value& entry : values)
                add(fmt::format(fmt::runtime(cpp ? "{{{}, {}}}" : "{}: {}"),
                                literal(entry.items()[0], types_.key_of(id)),
                                literal(entry.items()[1], types_.value_of(id))));
            return fmt::format("{}{{{}}}", cpp ? print(id) : "", items);
        case TypeKind::optional:
            if (cpp)
                return values.empty() ? print(id) + "()"
                                      : fmt::format("{}({})", print(id), literal(values[0], type.element));
            if (values.empty()) return python ? "None" : "null";
            return literal(values[0], type.element);
        default: break;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::string item = literal(values[i], type.fields[i].type);
        add(language() == Language::typescript ? fmt::format("{}: {}", field_name(type.fields[i].name), item)
                                               : item);
    }
    if (language() == Language::typescript) return fmt::format("{{ {} }}", items);
    return fmt::format(fmt::runtime(cpp ? "{}{{{}}}" : "{}({})"), print(id), items);
}

std::string TypeCode::literal(const expr::Value& value, expr::TypeId id) {
    const expr::Type& type = types_[id];
    bool cpp = language() == Language::cpp;
    switch (type.kind) {
        case TypeKind::boolean:
            if (language() == Language::python) return value.boolean() ? "True" : "False";
            return value.boolean() ? "true" : "false";
        case TypeKind::integer: return integer_literal(value.integer(), language());
        case TypeKind::real:
            return real_literal(std::holds_alternative<std::int64_t>(value.v)
                                    ? static_cast<double>(value.integer())
                                    : value.real());
        case TypeKind::string: {
            auto text = text_literal(value.string(), language());
            if (!text) return refuse("a text that is not UTF-8");
            if (!cpp) return *text;
            if (value.string().find('\0') == std::string::npos) return fmt::format("std::string({})", *text);
            return fmt::format("std::string({}, {})", *text, value.string().size());
        }
        case TypeKind::bytes: return bytes_literal(std::get<expr::Bytes>(value.v).data, language());
        case TypeKind::enumeration: {
            std::size_t index = std::get<expr::EnumMember>(value.v).index;
            if (language() == Language::typescript)
                return fmt::format("\"{}\"", names_.text(type.members[index]));
            return fmt::format("{}{}{}", print(id), cpp ? "::" : ".", member_name(id, index));
        }
        case TypeKind::unknown: return refuse("a type that is not known");
        default: return sequence_literal(value, type, id);
    }
}

std::string TypeCode::initial(expr::TypeId type) {
    return literal(expr::default_value(type, types_), type);
}

}  // namespace treaty::generate
