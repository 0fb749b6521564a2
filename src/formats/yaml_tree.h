// YAML and JSON as a tree with positions, for notations that are written in it.
//
// Aliases (`*x`) are replaced by what they mean. Bounded, whatever the text: at most 200 levels and 200,000
// nodes after aliases were replaced, so that a few lines of aliases cannot ask for more. A key twice in one
// map is an error, because tools disagree about which of the two counts. Reported as T0860 and T0861.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats {

struct YamlMember;

struct YamlNode {
    enum class Kind : std::uint8_t { null, scalar, list, map };
    Kind kind = Kind::null;
    bool quoted = false;  // a scalar in quotes, which is a text whatever it looks like
    base::Span span = {};
    std::string text = {};            // of a scalar
    std::vector<YamlMember> members;  // of a map, in the order of the text
    std::vector<YamlNode> items;      // of a list

    bool is_map() const { return kind == Kind::map; }
    bool is_list() const { return kind == Kind::list; }
    bool is_scalar() const { return kind == Kind::scalar; }
    const YamlNode* find(std::string_view key) const;  // null if this is not a map, or has no such key
    // The scalar of a key; empty if there is none.
    std::string_view text_of(std::string_view key) const;
    bool is_true(std::string_view key) const { return text_of(key) == "true"; }
};

struct YamlMember {
    std::string key;
    YamlNode value;
};

// Nothing if an error was reported.
std::optional<YamlNode> read_yaml(const base::SourceMap& sources, base::FileId file,
                                  base::Diagnostics& diagnostics);

// Whether a text has this key at its outermost level, found without reading all of it as YAML: at the
// beginning of a line, or, in JSON, in quotes before the first nested object closes.
bool has_outer_key(std::string_view text, std::string_view key);

}  // namespace treaty::formats
