// A TOML text as a tree of values that know their places.
//
// Tables have the order of the text. The syntax is read by toml++, which stops at the first fault. Texts of
// any content are read safely; one that is longer than longest_toml is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::api {

constexpr std::size_t longest_toml = std::size_t{4} << 20;

struct TomlValue {
    enum class Kind : std::uint8_t { text, integer, real, boolean, time, array, table };

    std::string key;      // in its table; empty: it is in an array, or the whole text
    base::Span key_span;  // likewise
    Kind kind = Kind::table;
    base::Span span;  // of the value; at most one line of it. Of a table with a header: the header
    std::string text;
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<TomlValue> children;  // of an array, or of a table

    const TomlValue* find(std::string_view name) const;  // in a table; null if there is none
};

// "a string", "an array".
std::string_view to_string(TomlValue::Kind kind);

// Nothing after reporting what is wrong with the text.
std::optional<TomlValue> read_toml(base::FileId file, const base::SourceMap& sources,
                                   base::Diagnostics& diagnostics);

}  // namespace treaty::api
