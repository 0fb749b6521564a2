// One binary layout made ready to run in both directions. Internal to wire/.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/engine.h"
#include "wire/formula.h"
#include "wire/protobuf_layout.h"
#include "wire/stream_pattern.h"

namespace treaty::wire {

using model::Transform;

// The forms of an item that differ when bytes are read and written.
enum class BinaryKind : std::uint8_t {
    literal,
    bits,
    byte_string,
    decimal,
    line,
    varint,
    check,
    conditional,
    repeat,
    block,
    part,
    text,  // as long as its pattern goes
    protobuf,
};

struct BinaryItem {
    BinaryKind kind = BinaryKind::literal;
    std::string name;
    std::string text;         // literal; what ends a decimal, a line or a repeat; a check as it is printed
    std::uint32_t width = 0;  // bits; varint: bytes
    bool little_endian = false;
    static constexpr std::uint32_t none = 0xffffffffu;
    std::uint32_t cell = none;                       // of the variable
    std::uint32_t list = none;                       // the field that collects the variable's values
    bool is_field = false;                           // a field of the message: given when encoding
    bool holds_text = false;                         // the variable is a string or bytes
    std::int64_t low = INT64_MIN, high = INT64_MAX;  // the declared range of the number
    Formula value;                                   // fields
    Formula size;                                    // byte strings; of a repeat, its count
    Formula condition;                               // checks and conditionals
    Formula key, more;
    Transform transform = Transform::none;
    std::shared_ptr<const StreamPattern> pattern;    // text; none if it cannot be read byte by byte
    std::shared_ptr<const ProtobufLayout> protobuf;  // takes the rest of the block
    bool at_once = false;                            // value uses only what has been read before
    bool late = false;                               // inside a repeat: value uses what is read after it
    PieceRole role = PieceRole::data;
    std::vector<BinaryItem> inner;
    std::vector<std::uint32_t> lists;  // repeat: the list fields that it runs over
};

struct FieldKind {
    expr::TypeId type;
    bool text = false;
    bool list = false;
    bool whole = false;  // of a type that only a Value holds, or a list
    bool element_text = false;
    expr::TypeId element;
};

struct BinaryLayout {
    MessageIndex message = 0;
    std::vector<BinaryItem> items;
    std::vector<FieldKind> fields;  // cells 0.. are the fields of the message, in order
    std::size_t cell_count = 0;
    bool has_parts = false;
    bool has_open_ends = false;  // patterns and `until`: what is written may go on into what follows
};

BinaryLayout compile_layout(const expr::Pool& pool, const Layout& layout, const MessageShape& shape);

// How bytes are read that no layout matches, to find out why.
struct Explaining {
    bool foresee = false;  // a length that leaves too little for what follows is a fault where it is
    bool forgive = false;  // the first number that is a fault for one of these reasons is passed over: it
                           // differs from its constant, or is foreseen to leave too little
};

// The message at the front of the window, or in exactly all of it (`whole`).
DecodeStep decode_binary(const expr::Pool& pool, const BinaryLayout& layout, std::string_view window,
                         bool whole, Scratch& scratch, std::vector<FieldView>& fields,
                         Explaining explaining = {});

std::optional<EncodeFault> encode_binary(const BinaryLayout& layout, std::span<const expr::Value> values,
                                         Scratch& scratch, std::string& out);

// Values that the layout has room for, as a rule; nothing where drawing led nowhere.
std::optional<std::vector<expr::Value>> draw_binary(const expr::Pool& pool, const BinaryLayout& layout,
                                                    solve::Choices& choices, Scratch& scratch);

// The bytes of a value, and back; nothing if encoding never writes such bytes.
std::string transformed(Transform transform, std::string_view value);
std::optional<std::string> restored(Transform transform, std::string_view bytes);

// to[i] = from[i] xor key[i mod size]; an empty key copies.
void xor_into(char* to, std::string_view from, std::string_view key);

}  // namespace treaty::wire
