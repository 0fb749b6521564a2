#include "watch/mapping/mapped_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/utf8.h"

namespace treaty::watch {

using simdjson::dom::element;

namespace {

constexpr int most_groups = static_cast<int>(most_pattern_groups) + 1;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string name_of(std::string_view text) {
    std::string out;
    bool gap = false;
    for (char c : text) {
        if (!is_letter(c) && !is_digit(c) && c != '_') {
            gap = true;
            continue;
        }
        if ((gap && !out.empty()) || (out.empty() && is_digit(c))) out += '_';
        gap = false;
        out += c;
    }
    return out;
}

std::string path_of(std::string_view text) {
    if (auto scheme = text.find("://"); scheme != std::string_view::npos) {
        auto slash = text.find('/', scheme + 3);
        text = slash == std::string_view::npos ? std::string_view("/") : text.substr(slash);
    }
    return std::string(text.substr(0, text.find_first_of("?#")));
}

// A number, or a long text of hexadecimal digits and dashes with a digit in it, as identifiers are.
bool is_identifier(std::string_view segment) {
    constexpr std::size_t shortest = 8;
    bool digits = std::all_of(segment.begin(), segment.end(), is_digit);
    bool hexadecimal = std::all_of(segment.begin(), segment.end(), [](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
    });
    return digits || (hexadecimal && segment.size() >= shortest &&
                      std::any_of(segment.begin(), segment.end(), is_digit));
}

std::string route_of(std::string_view text) {
    std::string path = path_of(text), out;
    std::string_view rest = path;
    while (!rest.empty()) {
        auto slash = rest.find('/');
        std::string_view segment = rest.substr(0, slash);
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
        if (segment.empty()) continue;
        if (!out.empty()) out += '/';
        out += is_identifier(segment) ? std::string_view("id") : segment;
    }
    return out;
}

// Of {"stringValue": x} and the like: x.
element unwrapped(element e) {
    simdjson::dom::object object;
    if (e.get(object) || object.size() != 1) return e;
    auto only = *object.begin();
    for (std::string_view kind : {"stringValue", "intValue", "boolValue", "doubleValue", "bytesValue"})
        if (only.key == kind) return only.value;
    return e;
}

std::optional<element> member_of(element e, std::string_view name) {
    element found;
    if (e.is_object()) {
        if (e[name].get(found)) return std::nullopt;
        return unwrapped(found);
    }
    simdjson::dom::array array;
    if (e.get(array)) return std::nullopt;
    for (element item : array) {
        std::string_view key;
        if (item.is_object() && !item["key"].get(key) && key == name && !item["value"].get(found))
            return unwrapped(found);
    }
    std::size_t index = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc() || end != name.data() + name.size() || array.at(index).get(found))
        return std::nullopt;
    return unwrapped(found);
}

std::optional<element> find_in(element e, std::string_view path) {
    for (auto end = path.size(); end != std::string_view::npos && end > 0;) {
        if (auto found = member_of(e, path.substr(0, end))) {
            if (end == path.size()) return found;
            if (auto inner = find_in(*found, path.substr(end + 1))) return inner;
        }
        end = path.rfind('.', end - 1);
    }
    return std::nullopt;
}

}  // namespace

std::string transformed(std::string_view text, Transform transform) {
    std::string out(text);
    switch (transform) {
        case Transform::none: break;
        case Transform::lower:
            for (char& c : out)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            break;
        case Transform::upper:
            for (char& c : out)
                if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            break;
        case Transform::name: return name_of(text);
        case Transform::path: return path_of(text);
        case Transform::route: return route_of(text);
    }
    return out;
}

bool MappedValues::matches(const Pattern& pattern, std::string_view text, bool copied) {
    std::array<re2::StringPiece, most_groups> found;
    int count = std::min(pattern.regex->NumberOfCapturingGroups() + 1, most_groups);
    bool matched = pattern.regex->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                                        re2::RE2::UNANCHORED, found.data(), count);
    if (!matched) return false;
    for (const Pattern::Group& group : pattern.groups) {
        Value& value = values_[group.slot];
        bool there = group.number < count && found[static_cast<std::size_t>(group.number)].data();
        value.state = there ? Value::State::there : Value::State::missing;
        if (!there) continue;
        const re2::StringPiece& piece = found[static_cast<std::size_t>(group.number)];
        value.text = {piece.data(), piece.size()};
        if (copied) value.text = value.own = std::string(value.text);
    }
    return true;
}

bool MappedValues::split(std::string_view line) {
    for (std::size_t i = 0; i < values_.size(); ++i)
        values_[i].state =
            mapping_.slots[i].kind == Slot::Kind::group ? Value::State::missing : Value::State::unknown;
    outermost_ = nullptr;
    levels_ = 0;
    return std::any_of(mapping_.lines.begin(), mapping_.lines.end(),
                       [&](const Pattern& pattern) { return matches(pattern, line, false); });
}

void MappedValues::set_document(const element* outermost, std::size_t levels) {
    for (std::size_t i = 0; i < values_.size(); ++i)
        values_[i].state =
            mapping_.slots[i].kind == Slot::Kind::group ? Value::State::missing : Value::State::unknown;
    outermost_ = outermost;
    levels_ = levels;
}

void MappedValues::begin(const MessageRule& rule) {
    for (std::size_t number : rule.definitions)
        values_[mapping_.definitions[number].slot].state = Value::State::unknown;
}

std::optional<element> MappedValues::member(std::string_view path) const {
    for (std::size_t level = levels_; level > 0; --level)
        if (auto found = find_in(outermost_[level - 1], path)) {
            if (found->is_null()) return std::nullopt;
            return found;
        }
    return std::nullopt;
}

void MappedValues::look_up_member(const Slot& slot, Value& value) {
    value.state = Value::State::missing;
    auto found = member(slot.name);
    if (!found) return;
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    double real = 0;
    bool boolean = false;
    if (!found->get(value.text)) {
        value.state = Value::State::there;
        return;
    }
    if (!found->get(integer))
        value.own = fmt::format("{}", integer);
    else if (!found->get(natural))
        value.own = fmt::format("{}", natural);
    else if (!found->get(real))
        value.own = fmt::format("{}", real);
    else if (!found->get(boolean))
        value.own = boolean ? "true" : "false";
    else
        return;  // an object or a list is no text
    value.text = value.own;
    value.state = Value::State::there;
}

void MappedValues::define(const Slot& slot, std::size_t number) {
    const Definition& definition = mapping_.definitions[slot.definition];
    values_[number].state = Value::State::open;  // a value that is made of itself is missing
    std::string made;
    bool there = append(definition.text, made) && !other_role_;
    bool translates = !definition.translation.cases.empty() || definition.translation.otherwise;
    if (there && translates) {
        std::string into;
        auto text = translated(definition.translation, made, into);
        there = text.has_value();
        if (text)
            made = std::string(*text);
        else
            missing_ = fmt::format("translation of {} by `{}`", base::shorten(made, 60), slot.name);
    } else if (!there && definition.translation.otherwise) {
        made.clear();
        there = append(*definition.translation.otherwise, made);
    }
    Value& value = values_[number];
    value.own = std::move(made);
    value.text = value.own;
    value.state = there ? Value::State::there : Value::State::missing;
}

std::optional<std::string_view> MappedValues::translated(const Translation& translation,
                                                         std::string_view text, std::string& into) {
    const Template* found = translation.otherwise ? &*translation.otherwise : nullptr;
    for (const auto& [key, value] : translation.cases)
        if (key == text) {
            found = &value;
            break;
        }
    into.clear();
    if (!found || !append(*found, into)) return std::nullopt;
    return std::string_view(into);
}

std::optional<std::string_view> MappedValues::text(std::size_t slot) {
    Value& value = values_[slot];
    if (value.state == Value::State::unknown) {
        const Slot& what = mapping_.slots[slot];
        if (what.kind == Slot::Kind::member)
            look_up_member(what, value);
        else
            define(what, slot);
    }
    if (value.state != Value::State::there) return std::nullopt;
    return value.text;
}

std::optional<std::string_view> MappedValues::alternative(const Template::Part& part) {
    for (const Template::Alternative& one : part.alternatives) {
        if (one.kind == Template::Alternative::Kind::other_role) {
            other_role_ = true;
            return std::string_view();
        }
        if (one.kind == Template::Alternative::Kind::constant) return std::string_view(one.text);
        // A definition states itself what it lacks, when it is made.
        const Slot& slot = mapping_.slots[one.slot];
        bool made_now =
            slot.kind == Slot::Kind::definition && values_[one.slot].state == Value::State::unknown;
        if (auto found = text(one.slot)) return found;
        if (!made_now) missing_ = slot.name;
    }
    return std::nullopt;
}

bool MappedValues::append(const Template& text, std::string& out) {
    other_role_ = false;
    for (const Template::Part& part : text.parts) {
        if (part.alternatives.empty()) {
            out += part.text;
            continue;
        }
        auto found = alternative(part);
        if (!found) return false;
        if (part.transform == Transform::none)
            out += *found;
        else
            out += transformed(*found, part.transform);
    }
    return true;
}

std::optional<std::string_view> MappedValues::text(const Template& text) {
    other_role_ = false;
    if (text.parts.size() == 1) {
        const Template::Part& part = text.parts[0];
        if (part.alternatives.empty()) return std::string_view(part.text);
        if (part.transform == Transform::none) return alternative(part);
    }
    made_.clear();
    if (!append(text, made_)) return std::nullopt;
    return std::string_view(made_);
}

std::optional<element> MappedValues::part(const Template& text) {
    if (text.parts.size() != 1 || text.parts[0].transform != Transform::none) return std::nullopt;
    for (const Template::Alternative& one : text.parts[0].alternatives) {
        if (one.kind != Template::Alternative::Kind::slot) return std::nullopt;
        const Slot& slot = mapping_.slots[one.slot];
        if (slot.kind == Slot::Kind::member)
            if (auto found = member(slot.name)) return found;
        if (slot.kind != Slot::Kind::member && this->text(one.slot)) return std::nullopt;
    }
    return std::nullopt;
}

bool MappedValues::holds(const Condition& condition) {
    auto found = text(condition.value);
    switch (condition.kind) {
        case Condition::Kind::exists: return found.has_value();
        case Condition::Kind::missing: return !found;
        case Condition::Kind::is:
        case Condition::Kind::is_not: {
            if (!found) return false;
            bool any =
                std::find(condition.texts.begin(), condition.texts.end(), *found) != condition.texts.end();
            return any == (condition.kind == Condition::Kind::is);
        }
        case Condition::Kind::in: {
            if (!found) return false;
            std::int64_t number = 0;
            auto [end, error] = std::from_chars(found->data(), found->data() + found->size(), number);
            return error == std::errc() && end == found->data() + found->size() &&
                   number >= condition.least && number <= condition.most;
        }
        case Condition::Kind::matches: {
            if (!found) return false;
            bool made = found->data() == made_.data();
            return matches(condition.pattern, *found, made);
        }
    }
    return false;
}

}  // namespace treaty::watch
