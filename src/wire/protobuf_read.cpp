// Reading a protobuf message: fields as they come, and at its end what did not come.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include <fmt/format.h>

#include "base/utf8.h"
#include "base/wording.h"
#include "expr/collections.h"
#include "expr/value.h"
#include "wire/engine.h"
#include "wire/protobuf_layout.h"

namespace treaty::wire {
namespace {

using expr::TypeId;
using expr::Value;
using Field = ProtobufLayout::Field;
using Message = ProtobufLayout::Message;
using Presence = ProtobufLayout::Presence;

// By WireType.
constexpr std::array<std::string_view, 6> wire_type_names{
    "a number", "8 bytes", "bytes with their length", "a group", "the end of a group", "4 bytes"};

// A message of which parts may still come.
struct Partial {
    explicit Partial(const Message& message)
        : values(message.fields.size()), seen(message.fields.size()), inner(message.fields.size()) {}

    // By field of the layout.
    std::vector<Value> values;
    std::vector<bool> seen;
    std::vector<std::unique_ptr<Partial>> inner;  // messages that are not in a list or a map
};

class Reader {
public:
    Reader(const expr::Pool& pool, std::string_view bytes, const Limits& limits, std::vector<Piece>* pieces,
           unsigned depth, ProtobufFault& fault)
        : pool_(pool), bytes_(bytes), limits_(limits), pieces_(pieces), depth_(depth), fault_(fault) {}

    bool message(const Message& message, std::size_t end, Partial& into) {
        while (at_ < end)
            if (!field(message, end, into)) return false;
        return true;
    }

    // The values by position. What did not come is as protobuf leaves it.
    bool finish(const Message& message, Partial& partial, std::span<Value> values) {
        for (std::size_t k = 0; k < message.fields.size(); ++k) {
            const Field& f = message.fields[k];
            if (f.position < values.size() && !finish(f, k, partial, values[f.position])) return false;
        }
        return true;
    }

private:
    bool fail(std::size_t at, std::string why) {
        fault_.at = at;
        fault_.reason = std::move(why);
        return false;
    }

    // --- what is left out

    bool finish(const Field& f, std::size_t k, Partial& partial, Value& out) {
        bool there = partial.seen[k];
        switch (f.presence) {
            case Presence::repeated:
                out = there ? std::move(partial.values[k]) : Value(expr::Sequence{});
                return true;
            case Presence::map:
                out =
                    there
                        ? Value(expr::map_of(std::move(std::get<expr::Sequence>(partial.values[k].v).items)))
                        : Value(expr::Sequence{});
                return true;
            case Presence::optional: {
                expr::Sequence held;
                if (there) {
                    held.items.emplace_back();
                    if (!take(f, k, partial, held.items.back())) return false;
                }
                out = std::move(held);
                return true;
            }
            case Presence::required:
                return there ? take(f, k, partial, out) : fail(at_, fmt::format("`{}` is missing", f.name));
            case Presence::plain: break;
        }
        return there ? take(f, k, partial, out) : absent(f, out);
    }

    bool take(const Field& f, std::size_t k, Partial& partial, Value& out) {
        if (f.kind != ProtobufKind::message) {
            out = std::move(partial.values[k]);
            return true;
        }
        return record(f.message, *partial.inner[k], out);
    }

    // Counts its fields: an empty message in the bytes is a record with all of them.
    bool record(const Message& message, Partial& partial, Value& out) {
        if (!count(message.size)) return false;
        expr::Sequence values;
        values.items.resize(message.size);
        if (!finish(message, partial, values.items)) return false;
        out = std::move(values);
        return true;
    }

    // The value of a field that is not there.
    bool absent(const Field& f, Value& out) {
        const expr::Type& type = pool_.types()[f.type];
        switch (f.kind) {
            case ProtobufKind::message: {
                Partial nothing(f.message);
                return record(f.message, nothing, out);
            }
            case ProtobufKind::boolean: out = false; return true;
            case ProtobufKind::string: out = std::string(); return true;
            case ProtobufKind::bytes: out = expr::Bytes{}; return true;
            case ProtobufKind::float32:
            case ProtobufKind::float64: out = 0.0; return true;
            case ProtobufKind::enumeration:
                for (std::uint32_t m = 0; m < f.numbers.size(); ++m)
                    if (f.numbers[m] == 0) {
                        out = expr::EnumMember{m};
                        return true;
                    }
                return fail(at_, fmt::format("`{}` is missing, and 0 is not one of its values", f.name));
            default: break;
        }
        out = std::int64_t{0};
        if ((type.low && *type.low > 0) || (type.high && *type.high < 0))
            return fail(at_, fmt::format("`{}` is missing, which means 0, but it cannot be 0", f.name));
        return true;
    }

    // --- fields

    bool field(const Message& message, std::size_t end, Partial& into) {
        std::size_t begin = at_;
        std::uint32_t tag = 0;
        if (!read_tag(end, tag)) return false;
        std::uint32_t number = tag >> 3, type = tag & 7;
        if (type > wire_four_bytes)
            return fail(begin, fmt::format("{} is not a wire type of protobuf", type));
        if (number == 0) return fail(begin, "0 is not a field number of protobuf");
        if (type == wire_group_end) return fail(begin, "a group ends that has not begun");
        auto found = std::lower_bound(message.fields.begin(), message.fields.end(), number,
                                      [](const Field& f, std::uint32_t n) { return f.number < n; });
        if (found == message.fields.end() || found->number != number) {
            if (!message.open) return fail(begin, fmt::format("the layout has no field {}", number));
            return unknown(begin, number, type, end);
        }
        const Field& f = *found;
        auto k = static_cast<std::size_t>(found - message.fields.begin());
        bool list = f.presence == Presence::repeated;
        if (f.presence == Presence::map && type == wire_sized)
            return entry(f, k, begin, end, into, message.open);
        if (f.presence != Presence::map && type == wire_type_of(f.kind))
            return list ? element(f, k, begin, end, into, message.open)
                        : single(message, f, k, begin, end, into);
        if (list && type == wire_sized && is_packable(f.kind))
            return packed(f, k, begin, end, into, message.open);
        if (message.open) return unknown(begin, number, type, end);
        WireType wanted = f.presence == Presence::map ? wire_sized : wire_type_of(f.kind);
        return fail(begin, fmt::format("`{}` is {}, but must be {}", f.name, wire_type_names[type],
                                       wire_type_names[wanted]));
    }

    bool single(const Message& message, const Field& f, std::size_t k, std::size_t begin, std::size_t end,
                Partial& into) {
        if (f.kind == ProtobufKind::message) {
            std::size_t inner_end = 0;
            if (!size(end, inner_end)) return false;
            choose(message, k, into);
            if (!into.inner[k]) into.inner[k] = std::make_unique<Partial>(f.message);
            into.seen[k] = true;
            std::size_t place = places();
            ++depth_;
            if (!this->message(f.message, inner_end, *into.inner[k])) return false;
            --depth_;
            note_around(place, f.name, begin);
            return true;
        }
        Value value;
        bool known = true;
        if (!scalar(f, f.kind, f.type, f.name, end, value, known)) return false;
        if (!known) return unknown_member(f, begin, message.open, value);
        note(f.name, f.type, value, begin);
        choose(message, k, into);
        into.values[k] = std::move(value);
        into.seen[k] = true;
        return true;
    }

    // The other fields of a oneof have no value any more.
    static void choose(const Message& message, std::size_t k, Partial& into) {
        std::uint32_t oneof = message.fields[k].oneof;
        for (std::size_t other = 0; oneof != 0 && other < message.fields.size(); ++other)
            if (other != k && message.fields[other].oneof == oneof) {
                into.seen[other] = false;
                into.inner[other].reset();
            }
    }

    bool element(const Field& f, std::size_t k, std::size_t begin, std::size_t end, Partial& into,
                 bool open) {
        Value value;
        bool known = true;
        std::size_t place = places();
        if (f.kind == ProtobufKind::message) {
            ++depth_;
            if (!whole_message(f.message, end, value)) return false;
            --depth_;
            note_around(place, f.name, begin);
        } else {
            if (!scalar(f, f.kind, f.type, f.name, end, value, known)) return false;
            if (!known) return unknown_member(f, begin, open, value);
            note(f.name, f.type, value, begin);
        }
        return add(k, into, std::move(value));
    }

    bool packed(const Field& f, std::size_t k, std::size_t begin, std::size_t end, Partial& into, bool open) {
        std::size_t inner_end = 0, place = places();
        if (!size(end, inner_end)) return false;
        ++depth_;
        while (at_ < inner_end) {
            std::size_t at = at_;
            Value value;
            bool known = true;
            if (!scalar(f, f.kind, f.type, f.name, inner_end, value, known)) return false;
            if (!known) {
                if (!unknown_member(f, at, open, value)) return false;
                continue;
            }
            note("", f.type, value, at);
            if (!add(k, into, std::move(value))) return false;
        }
        --depth_;
        note_around(place, f.name, begin);
        return true;
    }

    // A key and a value; either may be left out.
    bool entry(const Field& f, std::size_t k, std::size_t begin, std::size_t end, Partial& into, bool open) {
        std::size_t inner_end = 0, place = places();
        if (!size(end, inner_end)) return false;
        Field key_field;
        key_field.name = f.name;
        key_field.kind = f.key;
        key_field.type = f.key_type;
        Value key, value;
        bool has_key = false, has_value = false, known = true;
        std::unique_ptr<Partial> inner;
        ++depth_;
        while (at_ < inner_end) {
            std::size_t at = at_;
            std::uint32_t tag = 0;
            if (!read_tag(inner_end, tag)) return false;
            if (tag == (1u << 3 | wire_type_of(f.key))) {
                if (!scalar(key_field, f.key, f.key_type, f.name, inner_end, key, known)) return false;
                note("key", f.key_type, key, at);
                has_key = true;
            } else if (tag == (2u << 3 | wire_type_of(f.kind))) {
                has_value = true;
                if (f.kind == ProtobufKind::message) {
                    std::size_t value_end = 0, here = places();
                    if (!size(inner_end, value_end)) return false;
                    if (!inner) inner = std::make_unique<Partial>(f.message);
                    ++depth_;
                    if (!message(f.message, value_end, *inner)) return false;
                    --depth_;
                    note_around(here, "value", at);
                } else {
                    bool member = true;
                    if (!scalar(f, f.kind, f.type, f.name, inner_end, value, member)) return false;
                    known = member;
                    if (member) note("value", f.type, value, at);
                    if (!member && !(f.closed && open)) return unknown_member(f, at, open, value);
                }
            } else {
                // Whatever else an entry has, protobuf skips it.
                std::uint32_t number = tag >> 3, type = tag & 7;
                if (type > wire_four_bytes || number == 0 || type == wire_group_end)
                    return fail(at, fmt::format("`{}` has an entry that is not a key and a value", f.name));
                if (!unknown(at, number, type, inner_end)) return false;
            }
        }
        --depth_;
        note_around(place, f.name, begin);
        if (!known) return true;  // with a number that the enumeration does not have: an unknown field
        if (!has_key && !absent(key_field, key)) return false;
        if (!has_value && !absent(f, value)) return false;
        if (inner && !record(f.message, *inner, value)) return false;
        return add(k, into, std::move(key)) && add(k, into, std::move(value));
    }

    bool add(std::size_t k, Partial& into, Value value) {
        if (!count(1)) return false;
        if (!into.seen[k]) into.values[k] = expr::Sequence{};
        into.seen[k] = true;
        std::get<expr::Sequence>(into.values[k].v).items.push_back(std::move(value));
        return true;
    }

    bool count(std::size_t items) {
        items_ += items;
        return items_ <= limits_.items || fail(at_, fmt::format("more than {} items", limits_.items));
    }

    bool whole_message(const Message& message, std::size_t end, Value& out) {
        std::size_t inner_end = 0;
        if (!size(end, inner_end)) return false;
        Partial partial(message);
        return this->message(message, inner_end, partial) && record(message, partial, out);
    }

    // `value` is the number.
    bool unknown_member(const Field& f, std::size_t begin, bool open, const Value& value) {
        if (f.closed && open) {
            note_text("", fmt::format("`{}` is {}, skipped", f.name, value.integer()), begin);
            return true;
        }
        return fail(begin,
                    fmt::format("`{}` is {}, which is not one of its values", f.name, value.integer()));
    }

    // known: false for a number that the enumeration does not have.
    bool scalar(const Field& f, ProtobufKind kind, TypeId type, std::string_view name, std::size_t end,
                Value& out, bool& known) {
        std::size_t begin = at_;
        std::uint64_t raw = 0;
        switch (wire_type_of(kind)) {
            case wire_varint:
                if (!number(end, raw)) return false;
                break;
            case wire_sized: return text(kind, name, end, out);
            default:
                if (!fixed(wire_type_of(kind) == wire_eight_bytes ? 8 : 4, end, raw)) return false;
        }
        auto low_half = static_cast<std::uint32_t>(raw);
        std::int64_t n = static_cast<std::int64_t>(raw);
        switch (kind) {
            case ProtobufKind::boolean: out = raw != 0; return true;
            case ProtobufKind::float32: out = double{std::bit_cast<float>(low_half)}; return true;
            case ProtobufKind::float64: out = std::bit_cast<double>(raw); return true;
            case ProtobufKind::enumeration: return member(f, static_cast<std::int32_t>(low_half), out, known);
            case ProtobufKind::int32:
            case ProtobufKind::sfixed32: n = static_cast<std::int32_t>(low_half); break;
            case ProtobufKind::uint32:
            case ProtobufKind::fixed32: n = low_half; break;
            case ProtobufKind::sint32:
                n = static_cast<std::int32_t>(low_half >> 1 ^ (~(low_half & 1) + 1));
                break;
            case ProtobufKind::sint64: n = static_cast<std::int64_t>(raw >> 1 ^ (~(raw & 1) + 1)); break;
            case ProtobufKind::uint64:
            case ProtobufKind::fixed64:
                if (n < 0) return fail(begin, fmt::format("`{}` has more than 63 bits", name));
                break;
            default: break;
        }
        const expr::Type& t = pool_.types()[type];
        if ((t.low && n < *t.low) || (t.high && n > *t.high))
            return fail(begin, fmt::format("`{}` cannot be {}", name, n));
        out = n;
        return true;
    }

    static bool member(const Field& f, std::int32_t n, Value& out, bool& known) {
        auto found = std::find(f.numbers.begin(), f.numbers.end(), n);
        known = found != f.numbers.end();
        if (known)
            out = expr::EnumMember{static_cast<std::uint32_t>(found - f.numbers.begin())};
        else
            out = std::int64_t{n};
        return true;
    }

    bool text(ProtobufKind kind, std::string_view name, std::size_t end, Value& out) {
        std::size_t text_end = 0;
        if (!size(end, text_end)) return false;
        std::string_view held = bytes_.substr(at_, text_end - at_);
        if (kind == ProtobufKind::string && !base::is_utf8(held))
            return fail(at_, fmt::format("`{}` is not valid UTF-8", name));
        at_ = text_end;
        if (kind == ProtobufKind::string)
            out = std::string(held);
        else
            out = expr::Bytes{std::string(held)};
        return true;
    }

    // --- what the layout does not have

    bool unknown(std::size_t begin, std::uint32_t number, std::uint32_t type, std::size_t end) {
        if (!skip(number, type, end, 0)) return false;
        note_text("", fmt::format("field {}, skipped", number), begin);
        return true;
    }

    bool skip(std::uint32_t number, std::uint32_t type, std::size_t end, std::size_t depth) {
        std::uint64_t ignored = 0;
        std::size_t skipped = 0;
        switch (type) {
            case wire_varint: return this->number(end, ignored);
            case wire_eight_bytes: return fixed(8, end, ignored);
            case wire_four_bytes: return fixed(4, end, ignored);
            case wire_sized:
                if (!size(end, skipped)) return false;
                at_ = skipped;
                return true;
            default: break;
        }
        if (depth >= most_nested) return fail(at_, fmt::format("nested deeper than {} levels", most_nested));
        for (;;) {
            std::size_t begin = at_;
            std::uint32_t tag = 0;
            if (!read_tag(end, tag)) return false;
            std::uint32_t inner = tag >> 3, inner_type = tag & 7;
            if (inner_type == wire_group_end && inner == number) return true;
            if (inner == 0 || inner_type == wire_group_end || inner_type > wire_four_bytes)
                return fail(begin, fmt::format("the group of field {} does not end", number));
            if (!skip(inner, inner_type, end, depth + 1)) return false;
        }
    }

    // --- bytes

    bool ends_early(std::size_t end) {
        return fail(end, "the protobuf message ends in the middle of a field");
    }

    bool number(std::size_t end, std::uint64_t& out, std::size_t most_bytes = 10) {
        std::size_t begin = at_;
        out = 0;
        for (std::size_t k = 0; k < most_bytes; ++k) {
            if (at_ >= end) return ends_early(end);
            auto byte = static_cast<unsigned char>(bytes_[at_++]);
            out |= std::uint64_t{byte & 0x7fu} << (7 * k);
            if (!(byte & 0x80u)) return true;
        }
        return fail(begin, fmt::format("the number is longer than {} bytes", most_bytes));
    }

    bool read_tag(std::size_t end, std::uint32_t& out) {
        std::uint64_t n = 0;
        if (!number(end, n, 5)) return false;
        out = static_cast<std::uint32_t>(n);
        return true;
    }

    bool fixed(std::size_t count, std::size_t end, std::uint64_t& out) {
        if (count > end - at_) return ends_early(end);
        out = 0;
        for (std::size_t k = count; k-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes_[at_ + k]);
        at_ += count;
        return true;
    }

    // A length; where the bytes end that it counts.
    bool size(std::size_t end, std::size_t& inner_end) {
        std::size_t begin = at_;
        std::uint64_t n = 0;
        if (!number(end, n, 5)) return false;
        if (n > end - at_)
            return fail(begin, fmt::format("a length of {} exceeds the {} that are left", n,
                                           base::counted(end - at_, "byte")));
        inner_end = at_ + static_cast<std::size_t>(n);
        return true;
    }

    // --- pieces

    std::size_t places() const { return pieces_ ? pieces_->size() : 0; }
    void note_text(std::string_view name, std::string value, std::size_t begin) {
        if (pieces_) pieces_->push_back({std::string(name), std::move(value), begin * 8, at_ * 8, depth_});
    }
    void note(std::string_view name, TypeId type, const Value& value, std::size_t begin) {
        if (!pieces_) return;
        std::string text;
        if (const auto* string = std::get_if<std::string>(&value.v))
            text = readable(*string);
        else if (const auto* bytes = std::get_if<expr::Bytes>(&value.v))
            text = readable(bytes->data);
        else
            text = expr::print(value, type, pool_.types(), pool_.names());
        note_text(name, std::move(text), begin);
    }
    // The whole of what was noted since.
    void note_around(std::size_t place, std::string_view name, std::size_t begin) {
        if (!pieces_) return;
        pieces_->insert(
            pieces_->begin() + static_cast<std::ptrdiff_t>(place),
            Piece{std::string(name), base::counted(at_ - begin, "byte"), begin * 8, at_ * 8, depth_});
    }

    const expr::Pool& pool_;
    std::string_view bytes_;
    const Limits& limits_;
    std::vector<Piece>* pieces_;
    unsigned depth_;
    ProtobufFault& fault_;
    std::size_t at_ = 0;
    std::size_t items_ = 0;
};

}  // namespace

bool ProtobufLayout::read(std::string_view bytes, const Limits& limits, std::span<Value> values,
                          std::vector<Piece>* pieces, unsigned depth, ProtobufFault& fault) const {
    Reader reader(*pool_, bytes, limits, pieces, depth, fault);
    Partial partial(message_);
    return reader.message(message_, bytes.size(), partial) && reader.finish(message_, partial, values);
}

}  // namespace treaty::wire
