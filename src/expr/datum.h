// A value that describes itself, for runs and answers, which have no table of types.
//
// Members of enumerations and fields of records have their names in it. A set is a list; a map is fields
// where its keys are texts, and a list of pairs otherwise. Two texts that differ are never printed alike: a
// text that is not UTF-8 is shown as {"hex": "9f"}, bytes as 0x"9f".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expr/types.h"
#include "expr/value.h"

namespace treaty::expr {

struct Datum;

using DatumList = std::vector<Datum>;
using DatumFields = std::vector<std::pair<std::string, Datum>>;  // in the order of their declaration

struct Datum {
    // Nothing: an optional that holds nothing. A member of an enumeration is its name, as a text.
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, DatumList, DatumFields> v;

    Datum() = default;
    template <class T>
    Datum(T x) : v(std::move(x)) {}  // NOLINT: implicit by intent
    Datum(const char* text) : v(std::string(text)) {}
    Datum(int number) : v(std::int64_t{number}) {}

    friend bool operator==(const Datum&, const Datum&) = default;
};

Datum datum_of(const Value& value, TypeId type, const Types& types, const base::Names& names);

// As JSON would write it: 3, "Eve", [1, 2], {"x": 1}, null; bytes as the language does: 0x"61fd".
std::string print(const Datum& datum);

}  // namespace treaty::expr
