// Wire: how each message looks as bytes, the resolved `wire` declarations of a file.
//
// One description serves both directions. A layout is a sequence of items; an item has one of the forms
// below, and each form holds what it needs and nothing else. A text layout consists of literals, patterns and
// text fields. A JSON layout is one JSON value, over lines and json. An HTTP layout is a request or a status,
// then headers, then at most one body, which may be a JSON value. A binary layout consists of all other
// forms, patterns and text fields included; sizes and values are expressions over the message's fields and
// over the fields read before. A protobuf message is an item of a binary layout and takes the rest of its
// block. Encoding and decoding are in wire/; this is only the description.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/source.h"
#include "expr/pool.h"
#include "model/alphabet.h"

namespace treaty::model {

enum class Framing : std::uint8_t { lines, stream, json, http, length_prefixed };

struct Regex {
    std::string pattern;  // RE2 syntax
    bool ignore_case = false;
};

// How the bytes of a field differ from its value, apart from a key.
enum class Transform : std::uint8_t {
    none,
    base64,    // RFC 4648, with padding
    hex,       // two digits per byte, lower case
    reversed,  // the last byte first
};

struct Item;

// The forms of an item. Named, Field and Nest are what several forms have in common.
namespace forms {

struct Named {
    base::NameId name;     // none for a fixed bit pattern
    expr::VarId variable;  // the value under that name
};

// A value in the bytes.
struct Field : Named {
    expr::VarId collects;  // inside a repeat: the list field whose elements `variable` are
    expr::ExprId value;    // computed when encoding, checked when decoding; none: any value
};

struct Nest {
    std::vector<Item> inner;
};

// Exactly these bytes.
struct Literal {
    std::string text;
};

// Text that matches; decoding forgets it. In a binary layout a pattern goes as far as it can.
struct Pattern {
    Regex regex;
};

// The text of a message field, constrained by a pattern.
struct Text : Field {
    Regex regex;
};

// An unsigned integer of `width` bits.
struct Bits : Field {
    std::uint32_t width = 0;
    bool little_endian = false;  // where the bits are whole bytes
};

// `size` bytes; without a size, the rest of the block.
struct ByteString : Field {
    expr::ExprId size;
    expr::ExprId key;  // xor with this key; none: as they are
    Transform transform = Transform::none;
};

// A number in decimal digits, followed by `end`.
struct Decimal : Field {
    std::string end;
};

// Text up to `end`, which follows it.
struct Line : Field {
    std::string end;
    Transform transform = Transform::none;
};

// A number in groups of seven bits, low ones first.
struct Varint : Field {
    std::uint32_t most_bytes = 0;
};

// Takes no bytes; the condition must hold of what has been read.
struct Check {
    expr::ExprId condition;
};

// `inner` when the condition holds.
struct Conditional : Nest {
    expr::ExprId condition;
};

// `inner` as often as `count` says; without a count, to the text `until`, which follows the last round, or to
// the end of the block. `more` makes it a tree: how many rounds each round adds.
struct Repeat : Nest {
    expr::ExprId count;
    expr::ExprId more;
    std::string until;
};

// A length (`width` bits, or a varint when 0), then `inner`, which fills so many bytes.
struct Block : Nest {
    std::uint32_t width = 0;
    bool little_endian = false;
};

// `inner`, whose bytes have a name that values can be computed from.
struct Part : Named, Nest {};

// A value of the message: that of `variable`, or, where it is a record, of a field in it: the position of the
// field, then of the field in that one, and so on.
struct Path : Named {
    std::vector<std::uint32_t> fields;
};

// How protobuf encodes a value: the types of .proto files.
enum class ProtobufKind : std::uint8_t {
    int32,
    int64,
    uint32,
    uint64,
    sint32,
    sint64,
    fixed32,
    fixed64,
    sfixed32,
    sfixed64,
    float32,
    float64,
    boolean,
    string,
    bytes,
    enumeration,
    message,
};

// A field of a protobuf message: a field of the Treaty message or, inside another one, a field of its record;
// there it has no variable. What the type is decides how often it occurs: a list is repeated, an optional
// value may be absent, the entries of a map are repeated messages of a key and a value. Any other value
// without `required` is left out where it is the default value of protobuf, unless it is a message. `inner`:
// the fields of a message, each a ProtobufField or a ProtobufOneof.
struct ProtobufField : Named, Nest {
    std::uint32_t number = 0;
    ProtobufKind kind = ProtobufKind::int32;  // of the value; of a list its elements, of a map its values
    ProtobufKind key = ProtobufKind::int32;
    bool map = false;                   // the type is a map, whose keys are encoded as `key`
    std::uint32_t position = 0;         // of the field in its message or record
    bool required = false;              // always written; an error where it is absent
    bool expanded = false;              // a list of numbers is written as one field for each
    bool closed = false;                // an enumeration: other numbers count as unknown fields
    bool open = false;                  // a message: other fields may be there, too
    std::vector<std::int32_t> numbers;  // an enumeration: by member
};

// At most one of the fields in `inner` has a value.
struct ProtobufOneof : Nest {};

// A protobuf message, which takes the rest of the block. open: other fields may be there, too.
struct Protobuf : Nest {
    bool open = false;
};

// A JSON value that is always the same; nothing: null.
struct JsonConstant {
    std::variant<std::monostate, bool, std::int64_t, double, std::string> value;
};

// A JSON value as its type says. The transform is for bytes: hex or base64.
struct JsonValue : Path {
    Transform transform = Transform::hex;
};

// An object whose members are `inner`, each a JsonMember. open: others may be there, too.
struct JsonObject : Nest {
    bool open = false;
};

// One member; `inner` is its value. may_be_absent: written only where the optional value is there.
struct JsonMember : Nest {
    std::string key;
    bool may_be_absent = false;
};

// A list of exactly the elements in `inner`.
struct JsonArray : Nest {};

// A list with one element for each of those of `list`; `inner` is the element, whose values are of
// `variable`.
struct JsonEach : Named, Nest {
    Path list;
};

// Text in which the values of fields are written: each part is a text or, where it has a variable, its value.
struct TextPart {
    std::string text;
    base::NameId name;
    expr::VarId variable;
};
using Template = std::vector<TextPart>;

// `name=value` in a query or a form. Where the value is an optional field, the parameter is there only if the
// field has a value; where it is a list, once for each element.
struct Parameter {
    std::string name;
    Template value;
};

// The first line of a request. Values in the path and in the query are percent-encoded.
struct HttpRequest {
    std::string method;
    Template path;
    std::vector<Parameter> query;
    bool open = false;  // there may be other parameters
};

// The status of a response: any from low to high, which the variable holds if there is one.
struct HttpStatus : Named {
    std::uint32_t low = 0, high = 0;
};

// A header; where its value has an optional field, it is there only if the field has a value.
struct HttpHeader {
    std::string header;
    Template value;
};

// A body of parameters, as a page sends them (application/x-www-form-urlencoded).
struct FormBody {
    std::vector<Parameter> parameters;
    bool open = false;
};

struct TextBody {
    Template text;
};

struct BytesBody : Named {};

// Any body; decoding forgets it.
struct AnyBody {};

}  // namespace forms

struct Item {
    base::Span span;
    std::variant<forms::Literal, forms::Pattern, forms::Text, forms::Bits, forms::ByteString, forms::Decimal,
                 forms::Line, forms::Varint, forms::Check, forms::Conditional, forms::Repeat, forms::Block,
                 forms::Part, forms::JsonConstant, forms::JsonValue, forms::JsonObject, forms::JsonMember,
                 forms::JsonArray, forms::JsonEach, forms::HttpRequest, forms::HttpStatus, forms::HttpHeader,
                 forms::FormBody, forms::TextBody, forms::BytesBody, forms::AnyBody, forms::Protobuf,
                 forms::ProtobufField, forms::ProtobufOneof>
        form;
};

// The item's form if it is a T or has what a T has (Named, Field, Nest); null otherwise.
template <class T>
const T* as(const Item& item) {
    return std::visit(
        [](const auto& form) -> const T* {
            if constexpr (std::is_base_of_v<T, std::remove_cvref_t<decltype(form)>>)
                return &form;
            else
                return nullptr;
        },
        item.form);
}

template <class T>
bool is(const Item& item) {
    return as<T>(item) != nullptr;
}

// The items inside this one; none for a form without any.
inline std::span<const Item> inner_of(const Item& item) {
    const auto* nest = as<forms::Nest>(item);
    return nest ? std::span<const Item>(nest->inner) : std::span<const Item>();
}

// The variable under the item's name; none for a form without a name.
inline expr::VarId variable_of(const Item& item) {
    const auto* named = as<forms::Named>(item);
    return named ? named->variable : expr::VarId();
}

// The list field that the item's values are elements of; none where it is not inside a repeat.
inline expr::VarId list_of(const Item& item) {
    const auto* field = as<forms::Field>(item);
    return field ? field->collects : expr::VarId();
}

// Whether the item is a JSON value: of a JSON layout the only one, of an HTTP layout the body.
inline bool is_json(const Item& item) {
    return is<forms::JsonConstant>(item) || is<forms::JsonValue>(item) || is<forms::JsonObject>(item) ||
           is<forms::JsonArray>(item) || is<forms::JsonEach>(item);
}

struct Layout {
    MessageId message;
    base::Span span;
    std::vector<expr::VarId> fields;  // one for each field of the message
    std::vector<Item> items;
};

// A text that is written as another one in a line: the line's end, for example, where a field holds it. Lines
// of layouts that consist of literals only are written as they are: they mark what no text can be taken for.
struct Escape {
    std::string text;
    std::string written;
    bool at_start = false;  // only at the start of a line
};

struct Wire {
    base::NameId name;
    base::Span span;
    Framing framing = Framing::lines;
    std::string terminator;          // lines
    std::vector<Escape> escapes;     // lines
    std::string selector;            // json: the member that names the message
    std::uint32_t prefix_bytes = 4;  // length_prefixed
    std::vector<Layout> layouts;
};

}  // namespace treaty::model
