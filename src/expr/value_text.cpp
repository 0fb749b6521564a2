#include "expr/value_text.h"

#include <charconv>

namespace treaty::expr {

std::optional<EnumMember> member_named(const Type& type, std::string_view name, const base::Names& names) {
    for (std::uint32_t i = 0; i < type.members.size(); ++i)
        if (names.text(type.members[i]) == name) return EnumMember{i};
    return std::nullopt;
}

std::optional<Value> value_of_text(std::string_view text, TypeId type, const Types& types,
                                   const base::Names& names) {
    auto number = [&]<class T>(T value) -> std::optional<Value> {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return Value(value);
    };
    const Type& t = types[type];
    std::optional<Value> result;
    switch (t.kind) {
        case TypeKind::integer: result = number(std::int64_t{}); break;
        case TypeKind::real: result = number(double{}); break;
        case TypeKind::boolean:
            if (text == "true" || text == "false") result = Value(text == "true");
            break;
        case TypeKind::string: result = Value(std::string(text)); break;
        case TypeKind::bytes:
            if (auto bytes = base::from_hex(text)) result = Value(Bytes{std::move(*bytes)});
            break;
        case TypeKind::enumeration:
            if (auto member = member_named(t, text, names)) result = Value(*member);
            break;
        default: break;
    }
    if (result && !belongs(*result, type, types)) result.reset();
    return result;
}

}  // namespace treaty::expr
