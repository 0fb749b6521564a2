// Concrete message data: what a message carries when it flows.
//
// A Value knows no type; code that handles one knows its TypeId. Integers are 64 bits (arithmetic that
// leaves them is a fault, see evaluate.h); enumerations are the member's index; a record is the values of
// its fields in order; an optional is a list of none or one; a set is its items and a map its entries (key
// and value), ascending and without repeats (collections.h). Equality and order are structural and total: a
// real that is not a number equals itself and comes before all others. Copies of a sequence share its items
// until one of them is changed, so copying a value costs the same whatever its size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/shared_vector.h"
#include "expr/types.h"

namespace treaty::expr {

struct Value;

struct Bytes {
    std::string data;
    friend auto operator<=>(const Bytes&, const Bytes&) = default;
};
struct EnumMember {
    std::uint32_t index = 0;
    friend auto operator<=>(const EnumMember&, const EnumMember&) = default;
};
// Lists, records, optionals, sets and maps: a sequence whose reading the type decides.
struct Sequence {
    base::SharedVector<Value> items;
    friend bool operator==(const Sequence&, const Sequence&);
    friend bool operator<(const Sequence&, const Sequence&);
};

struct Value {
    std::variant<bool, std::int64_t, double, std::string, Bytes, EnumMember, Sequence> v;

    Value() : v(false) {}
    template <class T>
    Value(T x) : v(std::move(x)) {}  // NOLINT: implicit by intent
    Value(const char* text) : v(std::string(text)) {}

    bool boolean() const { return std::get<bool>(v); }
    std::int64_t integer() const { return std::get<std::int64_t>(v); }
    double real() const { return std::get<double>(v); }
    const std::string& string() const { return std::get<std::string>(v); }
    const base::SharedVector<Value>& items() const { return std::get<Sequence>(v).items; }

    friend bool operator==(const Value&, const Value&);
    friend bool operator<(const Value&, const Value&);
};

// Whether value is a value of type, ranges included.
bool belongs(const Value& value, TypeId type, const Types& types);

// Equal values have equal hashes.
std::uint64_t hash(const Value& value);

// The value where `type` is wanted: integers become reals where the type requires it, at any depth.
Value convert(Value value, TypeId type, const Types& types);

// As a literal of the language: "a\n", 0x"ff00", [1, 2], Red, Point(x = 1, y = 2), none, {1, 2}, {"a": 1}.
std::string print(const Value& value, TypeId type, const Types& types, const base::Names& names);

// A quoted string literal of the language for any bytes.
std::string quote(std::string_view text);

}  // namespace treaty::expr
