// One protobuf message of a layout, ready to be read and written. Internal to wire/; what the language and
// the JSON notation need to know of it is at the end.
//
// Written, fields have the order of their numbers and map entries that of their keys, numbers in lists are
// packed, and what protobuf leaves out is left out: the bytes are those of protobuf's own library. Read,
// fields may have any order, lists may be packed or not, of several values of a field the last one counts,
// and messages are merged. Numbers may use more bytes than they need, as protobuf allows. Fields that the
// layout does not have, or that are encoded otherwise, are skipped where the message is open and a fault
// elsewhere. Nesting is bounded by the layout, that of skipped groups by most_nested.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/pool.h"
#include "model/wire.h"
#include "wire/codec.h"
#include "wire/protobuf_types.h"

namespace treaty::wire {

// The low bits of a tag: how the value that follows is encoded.
enum WireType : std::uint32_t {
    wire_varint = 0,
    wire_eight_bytes = 1,
    wire_sized = 2,
    wire_group_begin = 3,
    wire_group_end = 4,
    wire_four_bytes = 5
};

WireType wire_type_of(ProtobufKind kind);

struct ProtobufFault {
    static constexpr std::uint32_t none = 0xffffffffu;
    std::size_t at = 0;          // reading: the byte that does not fit
    std::uint32_t field = none;  // writing: the field of the Treaty message
    std::string reason;
};

class ProtobufLayout {
public:
    ProtobufLayout(const expr::Pool& pool, const model::forms::Protobuf& form);

    // The fields of the Treaty message that it carries, by position.
    const std::vector<std::uint32_t>& carries() const { return carries_; }

    // values: those of the Treaty message, by position; only those that are carried are looked at or set.
    // pieces: gets what was read, with offsets in bits from the start of the bytes; may be null.
    bool read(std::string_view bytes, const Limits& limits, std::span<expr::Value> values,
              std::vector<Piece>* pieces, unsigned depth, ProtobufFault& fault) const;
    bool write(std::span<const expr::Value> values, std::string& out, ProtobufFault& fault) const;
    // The values as they would be read back if they were written: reals of 32 bits are rounded, and of the
    // fields of a oneof only the last one has a value.
    void round(std::span<expr::Value> values) const;

    struct Field;
    struct Message {
        std::vector<Field> fields = {};  // by number
        bool open = false;
        std::size_t size = 0;  // positions
    };
    enum class Presence : std::uint8_t { plain, optional, required, repeated, map };
    struct Field {
        std::string name = {};
        std::uint32_t number = 0;
        std::uint32_t position = 0;
        std::uint32_t oneof = 0;  // 0: none
        Presence presence = Presence::plain;
        ProtobufKind kind = ProtobufKind::int32, key = ProtobufKind::int32;
        bool expanded = false, closed = false;
        expr::TypeId type = {};      // of one value: of a list its elements, of a map its values
        expr::TypeId key_type = {};  // of a map
        std::vector<std::int32_t> numbers = {};
        Message message = {};
    };

private:
    void compile(std::span<const model::Item> items, expr::TypeId record, std::uint32_t oneof, Message& out);

    const expr::Pool* pool_;
    Message message_;
    std::vector<std::uint32_t> carries_;
    std::uint32_t oneofs_ = 0;
};

}  // namespace treaty::wire
