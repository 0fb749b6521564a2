// Writing a protobuf message as protobuf's own library does.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/utf8.h"
#include "expr/value.h"
#include "wire/protobuf_layout.h"

namespace treaty::wire {
namespace {

using expr::Value;
using Field = ProtobufLayout::Field;
using Message = ProtobufLayout::Message;
using Presence = ProtobufLayout::Presence;

void append_number(std::uint64_t n, std::string& out) {
    do {
        out += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        n >>= 7;
    } while (n > 0);
}

void append_fixed(std::uint64_t n, std::size_t count, std::string& out) {
    for (std::size_t k = 0; k < count; ++k) out += static_cast<char>(n >> (8 * k) & 0xff);
}

class Writer {
public:
    explicit Writer(ProtobufFault& fault) : fault_(fault) {}

    bool message(const Message& message, std::span<const Value> values, std::string& out) {
        std::vector<std::pair<std::uint32_t, const Field*>> chosen;  // by oneof
        for (const Field& f : message.fields) {
            if (f.position >= values.size()) return fail(f, "has no value");
            const Value& value = values[f.position];
            if (f.oneof != 0 && !value.items().empty()) {
                for (const auto& [oneof, other] : chosen)
                    if (oneof == f.oneof)
                        return fail(
                            f, fmt::format("and `{}` are alternatives, so only one of them can have a value",
                                           other->name));
                chosen.emplace_back(f.oneof, &f);
            }
            if (depth_ == 0) fault_.field = f.position;
            if (!field(f, value, out)) return false;
        }
        return true;
    }

private:
    bool fail(const Field& f, std::string_view why) {
        fault_.reason = fmt::format("`{}` {}", f.name, why);
        return false;
    }

    bool field(const Field& f, const Value& value, std::string& out) {
        switch (f.presence) {
            case Presence::required: return tagged(f, value, out);
            case Presence::plain: return is_default(f, value) || tagged(f, value, out);
            case Presence::optional: return value.items().empty() || tagged(f, value.items().front(), out);
            case Presence::map: return entries(f, value, out);
            case Presence::repeated: break;
        }
        if (!is_packable(f.kind) || f.expanded)
            return std::all_of(value.items().begin(), value.items().end(),
                               [&](const Value& v) { return tagged(f, v, out); });
        if (value.items().empty()) return true;
        std::string all;
        for (const Value& v : value.items())
            if (!plain(f, f.kind, v, all)) return false;
        with_size(f.number, all, out);
        return true;
    }

    // What protobuf does not write.
    static bool is_default(const Field& f, const Value& value) {
        switch (f.kind) {
            case ProtobufKind::message: return false;
            case ProtobufKind::boolean: return !value.boolean();
            case ProtobufKind::string: return value.string().empty();
            case ProtobufKind::bytes: return std::get<expr::Bytes>(value.v).data.empty();
            case ProtobufKind::float32:
            case ProtobufKind::float64: return std::bit_cast<std::uint64_t>(value.real()) == 0;
            case ProtobufKind::enumeration: return number_of(f, value) == 0;
            default: return value.integer() == 0;
        }
    }

    static std::int32_t number_of(const Field& f, const Value& value) {
        std::uint32_t member = std::get<expr::EnumMember>(value.v).index;
        return member < f.numbers.size() ? f.numbers[member] : 0;
    }

    static void tag(std::uint32_t number, WireType type, std::string& out) {
        append_number(std::uint64_t{number} << 3 | type, out);
    }

    static void with_size(std::uint32_t number, std::string_view bytes, std::string& out) {
        tag(number, wire_sized, out);
        append_number(bytes.size(), out);
        out += bytes;
    }

    bool tagged(const Field& f, const Value& value, std::string& out) {
        return tagged(f, f.number, f.kind, value, out);
    }

    bool tagged(const Field& f, std::uint32_t number, ProtobufKind kind, const Value& value,
                std::string& out) {
        if (kind == ProtobufKind::message) {
            std::string inner;
            ++depth_;
            if (!message(f.message, value.items(), inner)) return false;
            --depth_;
            with_size(number, inner, out);
            return true;
        }
        if (const auto* string = std::get_if<std::string>(&value.v)) {
            if (!base::is_utf8(*string)) return fail(f, "is not valid UTF-8");
            with_size(number, *string, out);
            return true;
        }
        if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) {
            with_size(number, bytes->data, out);
            return true;
        }
        tag(number, wire_type_of(kind), out);
        return plain(f, kind, value, out);
    }

    bool entries(const Field& f, const Value& map, std::string& out) {
        for (const Value& entry : map.items()) {
            std::string inner;
            if (!tagged(f, 1, f.key, entry.items()[0], inner) ||
                !tagged(f, 2, f.kind, entry.items()[1], inner))
                return false;
            with_size(f.number, inner, out);
        }
        return true;
    }

    // A number without its tag.
    bool plain(const Field& f, ProtobufKind kind, const Value& value, std::string& out) {
        switch (kind) {
            case ProtobufKind::boolean: out += value.boolean() ? '\1' : '\0'; return true;
            case ProtobufKind::float64:
                append_fixed(std::bit_cast<std::uint64_t>(value.real()), 8, out);
                return true;
            case ProtobufKind::float32: {
                auto narrow = static_cast<float>(value.real());
                if (Value(double{narrow}) != value) return fail(f, "needs more than the 32 bits of a float");
                append_fixed(std::bit_cast<std::uint32_t>(narrow), 4, out);
                return true;
            }
            case ProtobufKind::enumeration:
                append_number(static_cast<std::uint64_t>(std::int64_t{number_of(f, value)}), out);
                return true;
            default: break;
        }
        std::int64_t n = value.integer();
        auto range = protobuf_range(kind);
        if (range && (n < range->low || n > range->high))
            return fail(f, fmt::format("is {}, which is not a value of {}", n, protobuf_word(kind)));
        auto raw = static_cast<std::uint64_t>(n);
        switch (kind) {
            case ProtobufKind::sint32:
            case ProtobufKind::sint64: append_number(raw << 1 ^ (n < 0 ? ~std::uint64_t{0} : 0), out); break;
            case ProtobufKind::fixed32:
            case ProtobufKind::sfixed32: append_fixed(raw & 0xffffffffu, 4, out); break;
            case ProtobufKind::fixed64:
            case ProtobufKind::sfixed64: append_fixed(raw, 8, out); break;
            default: append_number(raw, out);
        }
        return true;
    }

    ProtobufFault& fault_;
    unsigned depth_ = 0;
};

void round_message(const Message& message, std::span<Value> values);

void round_one(const Field& f, Value& value) {
    if (f.kind == ProtobufKind::message)
        round_message(f.message, std::get<expr::Sequence>(value.v).items);
    else if (f.kind == ProtobufKind::float32)
        value = double{static_cast<float>(value.real())};
}

void round_message(const Message& message, std::span<Value> values) {
    for (const Field& f : message.fields) {
        if (f.position >= values.size()) continue;
        Value& value = values[f.position];
        if (f.presence == Presence::plain || f.presence == Presence::required) {
            round_one(f, value);
            continue;
        }
        auto& items = std::get<expr::Sequence>(value.v).items;
        if (f.oneof != 0 && !items.empty())
            for (const Field& other : message.fields)
                if (other.oneof == f.oneof && other.number < f.number && other.position < values.size())
                    values[other.position] = expr::Sequence{};
        for (Value& item : items)
            round_one(f, f.presence == Presence::map ? std::get<expr::Sequence>(item.v).items[1] : item);
    }
}

}  // namespace

bool ProtobufLayout::write(std::span<const Value> values, std::string& out, ProtobufFault& fault) const {
    return Writer(fault).message(message_, values, out);
}

void ProtobufLayout::round(std::span<Value> values) const {
    round_message(message_, values);
}

}  // namespace treaty::wire
