#include "expr/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "expr/collections.h"

namespace treaty::expr {
namespace {

bool same_real(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool real_before(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
    return a < b;
}

bool in_range(std::int64_t x, const Type& type) {
    return (!type.low || x >= *type.low) && (!type.high || x <= *type.high);
}

// Digits with a point and no exponent: the shortest that reads back to the same number.
std::string print_real(double x) {
    if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
    if (x == 0) return "0.0";
    char buffer[400];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed);
    std::string text(buffer, error == std::errc() ? end : buffer);
    if (text.find('.') == std::string::npos) text += ".0";
    return text;
}

struct Printer {
    const Types& types;
    const base::Names& names;

    std::string items(const Sequence& sequence, TypeId element) const {
        std::string text;
        for (const Value& item : sequence.items) {
            if (!text.empty()) text += ", ";
            text += value(item, element);
        }
        return text;
    }

    std::string record(const Sequence& sequence, const Type& type) const {
        std::string text(names.text(type.name));
        text += '(';
        for (std::size_t i = 0; i < sequence.items.size(); ++i) {
            if (i > 0) text += ", ";
            if (i < type.fields.size()) text += fmt::format("{} = ", names.text(type.fields[i].name));
            text += value(sequence.items[i], i < type.fields.size() ? type.fields[i].type : types.unknown());
        }
        return text + ')';
    }

    std::string entries(const Sequence& sequence, TypeId map) const {
        std::string text;
        for (const Value& entry : sequence.items) {
            if (!text.empty()) text += ", ";
            text += value(entry.items()[0], types.key_of(map)) + ": ";
            text += value(entry.items()[1], types.value_of(map));
        }
        return text;
    }

    std::string sequence(const Sequence& sequence, TypeId id) const {
        const Type& type = types[id];
        if (type.kind == TypeKind::set) return '{' + items(sequence, type.element) + '}';
        if (type.kind == TypeKind::map) return '{' + entries(sequence, id) + '}';
        if (type.kind == TypeKind::record) return record(sequence, type);
        if (type.kind == TypeKind::optional)
            return sequence.items.empty() ? "none" : "some(" + items(sequence, type.element) + ")";
        return '[' + items(sequence, type.kind == TypeKind::list ? type.element : types.unknown()) + ']';
    }

    std::string value(const Value& value, TypeId id) const {
        const Type& type = types[id];
        if (auto* x = std::get_if<bool>(&value.v)) return *x ? "true" : "false";
        if (auto* x = std::get_if<std::int64_t>(&value.v))
            return type.kind == TypeKind::real ? print_real(static_cast<double>(*x)) : fmt::format("{}", *x);
        if (auto* x = std::get_if<double>(&value.v)) return print_real(*x);
        if (auto* x = std::get_if<std::string>(&value.v)) return quote(*x);
        if (auto* x = std::get_if<EnumMember>(&value.v))
            return x->index < type.members.size() ? std::string(names.text(type.members[x->index]))
                                                  : fmt::format("member {}", x->index);
        if (auto* x = std::get_if<Sequence>(&value.v)) return sequence(*x, id);
        return "0x\"" + base::to_hex(std::get<Bytes>(value.v).data) + '"';
    }
};

}  // namespace

bool operator==(const Sequence& a, const Sequence& b) {
    return a.items == b.items;
}

bool operator<(const Sequence& a, const Sequence& b) {
    return std::lexicographical_compare(a.items.begin(), a.items.end(), b.items.begin(), b.items.end());
}

bool operator==(const Value& a, const Value& b) {
    if (auto* x = std::get_if<double>(&a.v))
        if (auto* y = std::get_if<double>(&b.v)) return same_real(*x, *y);
    return a.v == b.v;
}

bool operator<(const Value& a, const Value& b) {
    if (a.v.index() != b.v.index()) return a.v.index() < b.v.index();
    if (auto* x = std::get_if<double>(&a.v)) return real_before(*x, std::get<double>(b.v));
    return std::visit(
        [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            return x < std::get<T>(b.v);
        },
        a.v);
}

bool belongs(const Value& value, TypeId id, const Types& types) {
    const Type& type = types[id];
    auto* sequence = std::get_if<Sequence>(&value.v);
    auto all = [&](TypeId element) {
        return std::all_of(sequence->items.begin(), sequence->items.end(),
                           [&](const Value& item) { return belongs(item, element, types); });
    };
    switch (type.kind) {
        case TypeKind::unknown: return true;
        case TypeKind::boolean: return std::holds_alternative<bool>(value.v);
        case TypeKind::integer: {
            auto* x = std::get_if<std::int64_t>(&value.v);
            return x && in_range(*x, type);
        }
        case TypeKind::real: return std::holds_alternative<double>(value.v);
        case TypeKind::string: return std::holds_alternative<std::string>(value.v);
        case TypeKind::bytes: return std::holds_alternative<Bytes>(value.v);
        case TypeKind::enumeration: {
            auto* x = std::get_if<EnumMember>(&value.v);
            return x && x->index < type.members.size();
        }
        case TypeKind::list: return sequence && all(type.element);
        case TypeKind::set: return sequence && all(type.element) && is_set(*sequence);
        case TypeKind::map: return sequence && all(type.element) && is_map(*sequence);
        case TypeKind::optional: return sequence && sequence->items.size() <= 1 && all(type.element);
        case TypeKind::record: {
            if (!sequence || sequence->items.size() != type.fields.size()) return false;
            for (std::size_t i = 0; i < type.fields.size(); ++i)
                if (!belongs(sequence->items[i], type.fields[i].type, types)) return false;
            return true;
        }
    }
    return false;
}

std::uint64_t hash(const Value& value) {
    std::uint64_t kind = base::mix(value.v.index() + 1);
    if (auto* x = std::get_if<bool>(&value.v)) return base::combine(kind, *x ? 1 : 0);
    if (auto* x = std::get_if<std::int64_t>(&value.v))
        return base::combine(kind, static_cast<std::uint64_t>(*x));
    if (auto* x = std::get_if<double>(&value.v)) {
        double canonical = *x == 0 ? 0.0 : std::isnan(*x) ? std::nan("") : *x;
        std::uint64_t bits;
        std::memcpy(&bits, &canonical, sizeof bits);
        return base::combine(kind, bits);
    }
    if (auto* x = std::get_if<std::string>(&value.v)) return base::combine(kind, base::hash_bytes(*x));
    if (auto* x = std::get_if<Bytes>(&value.v)) return base::combine(kind, base::hash_bytes(x->data));
    if (auto* x = std::get_if<EnumMember>(&value.v)) return base::combine(kind, x->index);
    std::uint64_t h = base::combine(kind, value.items().size());
    for (const Value& item : value.items()) h = base::combine(h, hash(item));
    return h;
}

Value convert(Value value, TypeId id, const Types& types) {
    const Type& type = types[id];
    if (type.kind == TypeKind::real) {
        if (auto* x = std::get_if<std::int64_t>(&value.v)) return static_cast<double>(*x);
        return value;
    }
    auto* sequence = std::get_if<Sequence>(&value.v);
    if (!sequence) return value;
    for (std::size_t i = 0; i < sequence->items.size(); ++i) {
        TypeId part = type.element;
        if (type.kind == TypeKind::record) part = i < type.fields.size() ? type.fields[i].type : TypeId();
        if (part) sequence->items[i] = convert(std::move(sequence->items[i]), part, types);
    }
    return value;
}

std::string print(const Value& value, TypeId type, const Types& types, const base::Names& names) {
    return Printer{types, names}.value(value, type);
}

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t n = base::code_point_length(text.substr(i));
        if (n > 1) {
            out += text.substr(i, n);
            i += n - 1;
            continue;
        }
        if (text[i] == '"' || text[i] == '\\') out += '\\';
        base::append_escaped(out, text[i]);
    }
    return out + '"';
}

}  // namespace treaty::expr
