#include "wire/codec.h"

#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "wire/engine.h"

namespace treaty::wire {

using expr::TypeId;
using expr::TypeKind;

bool is_simple(const expr::Types& types, TypeId type) {
    switch (types.kind(type)) {
        case TypeKind::boolean:
        case TypeKind::integer:
        case TypeKind::string:
        case TypeKind::bytes:
        case TypeKind::enumeration: return true;
        default: return false;
    }
}

bool field_of_text(const expr::Pool& pool, TypeId type, std::string_view text, FieldView& out) {
    const expr::Type& t = pool.types()[type];
    out.text = text;
    switch (t.kind) {
        case TypeKind::integer: {
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.number);
            if (text.empty() || error != std::errc() || end != text.data() + text.size()) return false;
            return (!t.low || out.number >= *t.low) && (!t.high || out.number <= *t.high);
        }
        case TypeKind::boolean: out.number = text == "true"; return text == "true" || text == "false";
        case TypeKind::enumeration:
            for (std::size_t i = 0; i < t.members.size(); ++i)
                if (pool.names().text(t.members[i]) == text) {
                    out.number = static_cast<std::int64_t>(i);
                    return true;
                }
            return false;
        default: return true;
    }
}

bool append_text(const expr::Pool& pool, TypeId type, const expr::Value& value, std::string& out) {
    if (auto text = std::get_if<std::string>(&value.v))
        out += *text;
    else if (auto bytes = std::get_if<expr::Bytes>(&value.v))
        out += bytes->data;
    else if (auto number = std::get_if<std::int64_t>(&value.v)) {
        char digits[24];
        auto [end, error] = std::to_chars(digits, digits + sizeof digits, *number);
        out.append(digits, end);
    } else if (auto flag = std::get_if<bool>(&value.v))
        out += *flag ? "true" : "false";
    else if (auto member = std::get_if<expr::EnumMember>(&value.v)) {
        const expr::Type& t = pool.types()[type];
        if (t.kind != TypeKind::enumeration || member->index >= t.members.size()) return false;
        out += pool.names().text(t.members[member->index]);
    } else
        return false;
    return true;
}

FieldView view_of(const expr::Value& value) {
    FieldView out;
    out.value = &value;
    if (auto i = std::get_if<std::int64_t>(&value.v))
        out.number = *i;
    else if (auto b = std::get_if<bool>(&value.v))
        out.number = *b ? 1 : 0;
    else if (auto m = std::get_if<expr::EnumMember>(&value.v))
        out.number = m->index;
    else if (auto s = std::get_if<std::string>(&value.v))
        out.text = *s;
    else if (auto y = std::get_if<expr::Bytes>(&value.v))
        out.text = y->data;
    return out;
}

std::string readable(std::string_view bytes) {
    constexpr std::size_t shown = 60;
    std::string out = base::escaped(bytes.substr(0, shown));
    if (bytes.size() > shown) out += fmt::format("... ({} bytes)", bytes.size());
    return out;
}

std::string number_text(PieceRole role, bool bits, std::uint64_t width, std::int64_t n) {
    bool hexadecimal = role == PieceRole::checksum || (role == PieceRole::tag && bits && n > 9);
    if (!hexadecimal || n < 0) return fmt::format("{}", n);
    return fmt::format("0x{:0{}x}", n, bits ? (width + 3) / 4 : 1);
}

namespace {

std::unique_ptr<Engine> make_engine(const expr::Pool& pool, const Wire& wire,
                                    std::span<const MessageShape> shapes) {
    switch (wire.framing) {
        case Framing::lines: return make_lines_engine(pool, wire, shapes);
        case Framing::stream:
        case Framing::length_prefixed: return make_binary_engine(pool, wire, shapes);
        case Framing::json: return make_json_engine(pool, wire, shapes);
        case Framing::http: return make_http_engine(pool, wire, shapes);
    }
    return make_lines_engine(pool, wire, shapes);
}

}  // namespace

Codec::Codec(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
    : pool_(&pool),
      wire_(&wire),
      shapes_(shapes.begin(), shapes.end()),
      engine_(make_engine(pool, wire, shapes)) {}
Codec::~Codec() = default;
Codec::Codec(Codec&&) noexcept = default;
Codec& Codec::operator=(Codec&&) noexcept = default;

bool Codec::carries(MessageIndex message) const {
    return engine_->carries(message);
}

expr::Value Codec::value(const FieldView& field, TypeId type) const {
    switch (pool_->types().kind(type)) {
        case TypeKind::boolean: return field.number != 0;
        case TypeKind::integer: return field.number;
        case TypeKind::enumeration: return expr::EnumMember{static_cast<std::uint32_t>(field.number)};
        case TypeKind::string: return std::string(field.text);
        case TypeKind::bytes: return expr::Bytes{std::string(field.text)};
        default: return field.value ? *field.value : expr::Value(expr::Sequence{});
    }
}

Decoder::Decoder(const Codec& codec, Limits limits)
    : codec_(codec), limits_(limits), scratch_(std::make_unique<Scratch>()) {
    scratch_->limits = limits;
}
Decoder::~Decoder() = default;

void Decoder::feed(std::string_view bytes) {
    TREATY_CHECK(!ended_);
    if (bytes.empty()) return;
    if (window_.empty()) {
        window_ = bytes;
        own_ = false;
        return;
    }
    if (!own_) {
        buffer_.assign(window_);
    } else if (window_.data() != buffer_.data()) {
        // What is consumed is dropped only when it outweighs what is moved, so each byte moves a bounded
        // number of times.
        auto consumed = static_cast<std::size_t>(window_.data() - buffer_.data());
        if (consumed < window_.size()) {
            buffer_.append(bytes);
            window_ = std::string_view(buffer_).substr(consumed);
            return;
        }
        buffer_.erase(0, consumed);
    }
    buffer_.append(bytes);
    window_ = buffer_;
    own_ = true;
}

void Decoder::finish() {
    ended_ = true;
}

void Decoder::expect(std::span<const MessageIndex> messages, std::span<const MessageIndex> otherwise) {
    auto fill = [&](std::vector<bool>& set, std::span<const MessageIndex> members) {
        set.clear();
        if (members.empty()) return;
        set.resize(codec_.shapes().size());
        for (MessageIndex m : members)
            if (m < set.size()) set[m] = true;
    };
    fill(scratch_->expected, messages);
    fill(otherwise_, otherwise);
}

DecodeStep Decoder::decode_once(Decoded& out) {
    scratch_->explain = explain_;
    scratch_->texts_used = 0;
    scratch_->pieces.clear();
    out.condition_holds = true;
    out.also.clear();
    out.pieces.clear();
    return codec_.engine().decode(window_, ended_, *scratch_, out);
}

DecodeStep Decoder::decode(Decoded& out) {
    DecodeStep first = decode_once(out);
    bool right = first.kind == DecodeStep::Kind::message && out.condition_holds;
    if (otherwise_.empty() || right || first.kind == DecodeStep::Kind::more) return first;
    std::swap(scratch_->expected, otherwise_);
    DecodeStep second = decode_once(out);
    std::swap(scratch_->expected, otherwise_);
    bool better = second.kind == DecodeStep::Kind::message && out.condition_holds;
    if (better || second.kind == DecodeStep::Kind::more || first.kind == DecodeStep::Kind::fault)
        return second;
    return decode_once(out);  // what is expected, though its condition does not hold
}

DecodeStatus Decoder::next(Decoded& out) {
    if (faulted_) return DecodeStatus::fault;
    if (window_.empty()) return ended_ ? DecodeStatus::end : DecodeStatus::more;
    if (ended_ && codec_.engine().ignorable(window_)) {
        offset_ += window_.size();
        window_ = {};
        return DecodeStatus::end;
    }
    DecodeStep step = DecodeStep::more_than(needed_);
    if (ended_ || window_.size() >= needed_) {
        step = decode(out);
        if (step.kind == DecodeStep::Kind::more && step.bytes > limits_.message_bytes)
            step =
                DecodeStep::fault_at(0, fmt::format("a message of at least {} bytes exceeds the limit of {}",
                                                    step.bytes, limits_.message_bytes));
    }
    if (step.kind == DecodeStep::Kind::more && ended_)
        step = DecodeStep::fault_at(window_.size(), "the input ends in the middle of a message");
    if (step.kind == DecodeStep::Kind::more) {
        needed_ = std::max(step.bytes, window_.size() + 1);
        if (!own_) {
            buffer_.assign(window_);
            window_ = buffer_;
            own_ = true;
        }
        return DecodeStatus::more;
    }
    needed_ = 0;
    scratch_->scanned = 0;
    if (step.kind == DecodeStep::Kind::fault) {
        faulted_ = true;
        resync_ = step.resync;
        fault_ = {offset_ + step.bytes, std::move(step.reason)};
        return DecodeStatus::fault;
    }
    out.begin = offset_;
    out.end = offset_ + step.bytes;
    if (explain_) {
        out.pieces = std::move(scratch_->pieces);
        for (Piece& p : out.pieces) {
            p.bit_begin += offset_ * 8;
            p.bit_end += offset_ * 8;
        }
    }
    offset_ += step.bytes;
    window_.remove_prefix(step.bytes);
    return DecodeStatus::message;
}

bool Decoder::skip() {
    if (!faulted_ || resync_ == 0 || resync_ > window_.size()) return false;
    offset_ += resync_;
    window_.remove_prefix(resync_);
    resync_ = 0;
    faulted_ = false;
    return true;
}

std::vector<expr::Value> Decoder::values(const Decoded& message) const {
    std::vector<expr::Value> result;
    const auto& fields = codec_.shapes()[message.message].fields;
    for (std::size_t i = 0; i < fields.size(); ++i)
        result.push_back(codec_.value(message.fields[i], fields[i].type));
    return result;
}

Encoder::Encoder(const Codec& codec, Limits limits)
    : codec_(codec), limits_(limits), scratch_(std::make_unique<Scratch>()) {
    scratch_->limits = limits;
}
Encoder::~Encoder() = default;

std::optional<EncodeFault> Encoder::encode(MessageIndex message, std::span<const expr::Value> fields,
                                           std::string& out) {
    if (message >= codec_.shapes().size() || !codec_.carries(message))
        return EncodeFault{0xffffffffu, "this wire has no layout for the message"};
    if (fields.size() != codec_.shapes()[message].fields.size())
        return EncodeFault{0xffffffffu, "a message needs one value for each of its fields"};
    const auto& shape = codec_.shapes()[message].fields;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (!expr::belongs(fields[i],
                           out_of_range_ ? codec_.pool().types().base(shape[i].type) : shape[i].type,
                           codec_.pool().types()))
            return EncodeFault{static_cast<std::uint32_t>(i),
                               "the value does not have the type of the field"};
    std::size_t before = out.size();
    scratch_->texts_used = 0;
    auto fault = codec_.engine().encode(message, fields, *scratch_, out);
    if (!fault && out.size() - before > limits_.message_bytes)
        fault = EncodeFault{0xffffffffu,
                            fmt::format("the message exceeds the limit of {} bytes", limits_.message_bytes)};
    if (fault) out.resize(before);
    return fault;
}

}  // namespace treaty::wire
