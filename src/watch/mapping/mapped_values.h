// The values of one record of a log, by the slots of a mapping: what a pattern's groups have matched, members
// of a JSON document, and what the mapping defines from them.
//
// Members and definitions are looked up when they are asked for, once for each record. Views are into the
// record, which must stay while they are used. A path names members in each other, `a.b`; a name may itself
// contain dots, and of several readings the one with the longest names counts. A list of objects with `key`
// and `value`, as OpenTelemetry writes attributes, is read like an object, and {"stringValue": x} like x.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/mapping/mapping.h"

namespace treaty::watch {

std::string transformed(std::string_view text, Transform transform);

class MappedValues {
public:
    explicit MappedValues(const Mapping& mapping) : mapping_(mapping), values_(mapping.slots.size()) {}

    // A new record: a line that a pattern is to split, or a part of a JSON document with all that it is in,
    // the outermost first.
    bool split(std::string_view line);
    void set_document(const simdjson::dom::element* outermost, std::size_t levels);
    // Forgets what only one rule defines.
    void begin(const MessageRule& rule);

    bool holds(const Condition& condition);
    // The text, or nothing if a value is missing; then missing() names it.
    std::optional<std::string_view> text(const Template& text);
    const std::string& missing() const { return missing_; }
    // Whether the last text was `?`: the role is to be found by the id.
    bool other_role() const { return other_role_; }

    // What the template is, if it is nothing but a value of a JSON document.
    std::optional<simdjson::dom::element> part(const Template& text);
    std::optional<std::string_view> text(std::size_t slot);
    std::optional<simdjson::dom::element> member(std::string_view path) const;
    // Translated; nothing if there is no case for it and no `else`.
    std::optional<std::string_view> translated(const Translation& translation, std::string_view text,
                                               std::string& into);

private:
    struct Value {
        enum class State : std::uint8_t { unknown, open, missing, there } state = State::unknown;
        std::string_view text;
        std::string own;
    };
    // Copied: the text does not stay.
    bool matches(const Pattern& pattern, std::string_view text, bool copied);
    void look_up_member(const Slot& slot, Value& value);
    void define(const Slot& slot, std::size_t number);
    std::optional<std::string_view> alternative(const Template::Part& part);
    bool append(const Template& text, std::string& out);

    const Mapping& mapping_;
    std::vector<Value> values_;
    const simdjson::dom::element* outermost_ = nullptr;
    std::size_t levels_ = 0;
    std::string made_;  // the last text that had to be put together
    std::string missing_;
    bool other_role_ = false;
};

}  // namespace treaty::watch
