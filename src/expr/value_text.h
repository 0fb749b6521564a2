// Values from texts and from JSON, by type: the one meaning of "3", "green", "9f" and {"x": 1} as values.
//
// value_of_text() reads scalars from plain text; value_of_json() reads a parsed JSON document of any library
// through a small adapter, and scalars that JSON writes as texts with value_of_text(). Printing is datum.h.
// Two readers are not made of it, for a reason each: wire/json_text.h reads bytes as they come and tells at
// which of them a fault is; watch/json_layout.h recognises lines without parsing them, and is tested against
// this. (JSON files of models write literals by position, formats/json/data.h: another notation.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hex.h"
#include "base/names.h"
#include "expr/collections.h"
#include "expr/types.h"
#include "expr/value.h"

namespace treaty::expr {

// The member of an enumeration that has this name.
std::optional<EnumMember> member_named(const Type& type, std::string_view name, const base::Names& names);

// A value of the type from plain text, as logs write it: 3, 2.5, true, a name, anything for a string, pairs
// of hexadecimal digits for bytes. Nothing for lists, optionals and records.
std::optional<Value> value_of_text(std::string_view text, TypeId type, const Types& types,
                                   const base::Names& names);

enum class OtherMembers : std::uint8_t { refused, ignored };  // of an object that is a record

// A value of the type. Node is a part of a document:
//   bool null() const;                                  std::optional<bool> boolean() const;
//   std::optional<std::int64_t> integer() const;        std::optional<double> real() const;
//   std::optional<std::string_view> text() const;       std::optional<Node> member(std::string_view) const;
//   std::optional<std::size_t> members() const;         of an object: how many
//   bool items(f) const;                                f(Node) for each item of an array, as long as it
//                                                       gives true; false if one does not, or if not an array
//   bool each_member(f) const;                          f(std::string_view, Node) for each member of an
//   object,
//                                                       likewise
// An optional is null or its value; a text that is not UTF-8 is {"hex": "9f"}; a set is an array without
// repeats; a map is an object if its keys are texts, or an array of pairs.
template <class Node>
class JsonValues {
public:
    JsonValues(const Types& types, const base::Names& names, OtherMembers others)
        : types_(types), names_(names), others_(others) {}

    std::optional<Value> read(const Node& node, TypeId type) const {
        std::optional<Value> value = plain(node, type);
        if (value && !belongs(*value, type, types_)) value.reset();
        return value;
    }

private:
    template <class T>
    static std::optional<Value> made(std::optional<T> scalar) {
        if (!scalar) return std::nullopt;
        return Value(std::move(*scalar));
    }

    std::optional<Value> plain(const Node& node, TypeId type) const {
        const Type& t = types_[type];
        switch (t.kind) {
            case TypeKind::boolean: return made(node.boolean());
            case TypeKind::integer: return made(node.integer());
            case TypeKind::real: return made(node.real());
            case TypeKind::string: return text(node);
            case TypeKind::bytes:
            case TypeKind::enumeration: {
                auto written = node.text();
                return written ? value_of_text(*written, type, types_, names_) : std::nullopt;
            }
            case TypeKind::optional: {
                if (node.null()) return Value(Sequence{});
                auto inner = read(node, t.element);
                if (!inner) return std::nullopt;
                return Value(Sequence{{std::move(*inner)}});
            }
            case TypeKind::list: {
                Sequence list;
                bool fits = node.items([&](const Node& item) { return add(list, item, t.element); });
                return fits ? std::optional<Value>(std::move(list)) : std::nullopt;
            }
            case TypeKind::set: {
                Sequence items;
                bool fits = node.items([&](const Node& item) { return add(items, item, t.element); });
                std::size_t count = items.items.size();
                Sequence set = set_of(std::move(items.items));
                return fits && set.items.size() == count ? std::optional<Value>(std::move(set))
                                                         : std::nullopt;
            }
            case TypeKind::map: return map(node, type);
            case TypeKind::record: return record(node, t);
            default: return std::nullopt;
        }
    }

    std::optional<Value> text(const Node& node) const {
        if (auto written = node.text()) return Value(std::string(*written));
        auto hex = node.members() == std::size_t{1} ? node.member("hex") : std::nullopt;
        auto digits = hex ? hex->text() : std::nullopt;
        return digits ? made(base::from_hex(*digits)) : std::nullopt;
    }

    std::optional<Value> map(const Node& node, TypeId type) const {
        Sequence parts;  // a key, its value, and so on
        bool fits = false;
        if (node.members() && types_.kind(types_.key_of(type)) == TypeKind::string)
            fits = node.each_member([&](std::string_view key, const Node& value) {
                parts.items.emplace_back(std::string(key));
                return add(parts, value, types_.value_of(type));
            });
        else
            fits = node.items([&](const Node& pair) {
                std::size_t before = parts.items.size();
                return pair.items([&](const Node& part) {
                    bool key = parts.items.size() == before;
                    return parts.items.size() < before + 2 &&
                           add(parts, part, key ? types_.key_of(type) : types_.value_of(type));
                }) && parts.items.size() == before + 2;
            });
        std::size_t keys = parts.items.size() / 2;
        Sequence map = map_of(std::move(parts.items));
        return fits && map.items.size() == keys ? std::optional<Value>(std::move(map)) : std::nullopt;
    }

    std::optional<Value> record(const Node& node, const Type& t) const {
        auto members = node.members();
        if (!members || (others_ == OtherMembers::refused && *members != t.fields.size()))
            return std::nullopt;
        Sequence fields;
        for (const Field& f : t.fields) {
            auto part = node.member(names_.text(f.name));
            if (!part || !add(fields, *part, f.type)) return std::nullopt;
        }
        return Value(std::move(fields));
    }

    bool add(Sequence& all, const Node& node, TypeId type) const {
        auto value = read(node, type);
        if (value) all.items.push_back(std::move(*value));
        return value.has_value();
    }

    const Types& types_;
    const base::Names& names_;
    OtherMembers others_;
};

}  // namespace treaty::expr
