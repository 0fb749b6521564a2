// A JSON text as a tree whose values know their positions.
//
// One array of values, one of characters: no recursion to build, walk or free, however deep the text is.
// Values are numbered in the order of the text, so the value itself comes before what is in it. Limits:
// max_depth levels, max_values values; beyond, and for malformed text, a diagnostic and no tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats {

class JsonTree;

enum class JsonKind : std::uint8_t { null, boolean, integer, real, string, array, object };

std::string_view to_string(JsonKind kind);

// One value of a tree, or none. Cheap to copy; lives as long as its tree.
class Json {
public:
    Json() = default;
    explicit operator bool() const { return tree_ != nullptr; }

    JsonKind kind() const;
    bool boolean() const;             // of a boolean
    std::int64_t integer() const;     // of an integer
    double real() const;              // of an integer or a real
    std::string_view string() const;  // of a string
    std::size_t size() const;         // of an array or object
    base::Span span() const;
    std::string pointer() const;  // as RFC 6901: "/protocols/0/body"

    Json operator[](std::string_view key) const;  // of an object: the first value of that key, or none

    Json first() const;  // of an array or object
    Json next() const;   // in the same array or object

    // for (Json item : array.items())
    class Iterator;
    struct Items;
    Items items() const;

private:
    friend class JsonTree;
    Json(const JsonTree* tree, std::uint32_t id) : tree_(tree), id_(id) {}
    const JsonTree* tree_ = nullptr;
    std::uint32_t id_ = 0;
};

class Json::Iterator {
public:
    explicit Iterator(Json at) : at_(at) {}
    Json operator*() const { return at_; }
    Iterator& operator++() {
        at_ = at_.next();
        return *this;
    }
    bool operator!=(const Iterator&) const { return static_cast<bool>(at_); }

private:
    Json at_;
};

struct Json::Items {
    Json first;
    Iterator begin() const { return Iterator(first); }
    Iterator end() const { return Iterator(Json()); }
};

class JsonTree {
public:
    static constexpr std::size_t max_depth = 5000;
    static constexpr std::size_t max_values = 20'000'000;

    static std::optional<JsonTree> parse(const base::SourceMap& sources, base::FileId file,
                                         base::Diagnostics& diagnostics);

    // The tree must stay where it is while its values are used.
    Json root() const { return Json(this, 0); }

private:
    friend class Json;
    friend class JsonBuilder;
    static constexpr std::uint32_t none = 0xffffffffu;
    struct Value {
        JsonKind kind;
        std::uint32_t begin, end;  // in the text
        std::uint32_t parent = none, next = none, first = none, count = 0;
        std::uint32_t key = 0, key_length = 0;  // in characters_
        union {
            bool boolean;
            std::int64_t integer;
            double real;
            struct {
                std::uint32_t begin, length;  // in characters_
            } string;
        };
    };
    base::FileId file_;
    std::vector<Value> values_;
    std::string characters_;
};

}  // namespace treaty::formats
