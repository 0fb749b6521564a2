#include "wire/json_layout.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "expr/digest.h"
#include "wire/engine.h"

namespace treaty::wire {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;
using model::Item;

Value blank_value(const expr::Types& types, TypeId type) {
    if (types.kind(type) != TypeKind::record) return {};
    expr::Sequence record;
    for (const expr::Field& f : types[type].fields) record.items.push_back(blank_value(types, f.type));
    return record;
}

namespace {

bool append_constant(const forms::JsonConstant& constant, std::string& out) {
    if (auto* flag = std::get_if<bool>(&constant.value))
        out += *flag ? "true" : "false";
    else if (auto* number = std::get_if<std::int64_t>(&constant.value))
        out += fmt::format("{}", *number);
    else if (auto* real = std::get_if<double>(&constant.value)) {
        if (!std::isfinite(*real)) return false;
        char text[40];
        auto [end, error] = std::to_chars(text, text + sizeof text, *real);
        out.append(text, end);
    } else if (auto* text = std::get_if<std::string>(&constant.value))
        return append_json_string(*text, out);
    else
        out += "null";
    return true;
}

// The name of a member in a place: as it is if it is a word, else in quotation marks.
std::string place_of(std::string_view key) {
    bool word = !key.empty() && key.size() < 60;
    for (char c : key)
        word = word && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        c == '_' || c == '-');
    return word ? std::string(key) : fmt::format("\"{}\"", readable(key));
}

}  // namespace

TypeId JsonLayout::type_of(const forms::Path& path) const {
    TypeId type = pool_->variable(path.variable).type;
    for (std::uint32_t f : path.fields) type = pool_->types()[type].fields[f].type;
    return type;
}

// root: the position of the variable in the scope. Null if the path leads nowhere, which only a layout that
// was not resolved can have.
template <class V>
V* JsonLayout::find(const forms::Path& path, const Scope<V>& scope, std::size_t& root) const {
    for (root = 0; root < scope.variables.size() && scope.variables[root] != path.variable;) ++root;
    if (root >= scope.values.size()) return nullptr;
    V* value = &scope.values[root];
    for (std::uint32_t f : path.fields) {
        auto* record = std::get_if<expr::Sequence>(&value->v);
        if (!record || f >= record->items.size()) return nullptr;
        value = &record->items[f];
    }
    return value;
}

bool JsonLayout::write(std::span<const Value> values, std::string& out, std::uint32_t& field) const {
    return write(*item_, Given{fields_, values}, out, field);
}

bool JsonLayout::write(const Item& item, const Given& given, std::string& out, std::uint32_t& field) const {
    if (const auto* constant = model::as<forms::JsonConstant>(item)) return append_constant(*constant, out);
    if (const auto* path = model::as<forms::JsonValue>(item)) {
        std::size_t root = 0;
        const Value* value = find(*path, given, root);
        if (!value) return false;
        if (fields_.data() == given.variables.data()) field = static_cast<std::uint32_t>(root);
        const auto* bytes = std::get_if<expr::Bytes>(&value->v);
        if (!bytes || path->transform != model::Transform::base64)
            return append_json(*pool_, type_of(*path), *value, out);
        auto text = expr::coded(expr::Op::base64, bytes->data);
        out += '"' + text.value_or("") + '"';
        return text.has_value();
    }
    if (const auto* object = model::as<forms::JsonObject>(item)) {
        out += '{';
        bool first = true;
        for (const Item& inner : object->inner) {
            const auto& member = std::get<forms::JsonMember>(inner.form);
            const auto* path = model::as<forms::JsonValue>(member.inner.front());
            std::size_t root = 0;
            const Value* value = member.may_be_absent && path ? find(*path, given, root) : nullptr;
            if (value && value->items().empty()) continue;
            if (!first) out += ',';
            first = false;
            if (!append_json_string(member.key, out)) return false;
            out += ':';
            if (!write(member.inner.front(), given, out, field)) return false;
        }
        out += '}';
        return true;
    }
    if (const auto* each = model::as<forms::JsonEach>(item)) return write_each(*each, given, out, field);
    out += '[';
    bool first = true;
    for (const Item& element : model::inner_of(item)) {
        if (!first) out += ',';
        first = false;
        if (!write(element, given, out, field)) return false;
    }
    out += ']';
    return true;
}

bool JsonLayout::write_each(const forms::JsonEach& each, const Given& given, std::string& out,
                            std::uint32_t& field) const {
    std::size_t root = 0;
    const Value* list = find(each.list, given, root);
    if (!list) return false;
    if (fields_.data() == given.variables.data()) field = static_cast<std::uint32_t>(root);
    out += '[';
    bool first = true;
    for (const Value& element : list->items()) {
        if (!first) out += ',';
        first = false;
        if (!write(each.inner.front(), Given{{&each.variable, 1}, {&element, 1}}, out, field)) return false;
    }
    out += ']';
    return true;
}

bool JsonLayout::read(std::string_view text, const Limits& limits, std::span<Value> values,
                      JsonFault& fault) const {
    JsonText json(*pool_, text, limits);
    JsonMember whole;
    if (json.document(whole) && read(*item_, json, whole, Wanted{fields_, values})) return true;
    fault = json.fault();
    return false;
}

Fit JsonLayout::fit(std::string_view text, const Limits& limits, std::span<Value> values) const {
    Fit result;
    JsonText json(*pool_, text, limits);
    JsonMember whole;
    if (json.document(whole)) fit(*item_, json, whole, Wanted{fields_, values}, result);
    return result;
}

void JsonLayout::fit(const Item& item, JsonText& text, const JsonMember& at, const Wanted& wanted,
                     Fit& result) const {
    const auto* object = model::as<forms::JsonObject>(item);
    std::vector<JsonMember> members;
    if (!object || !text.members_of(at, members)) return;
    for (const Item& inner : object->inner) {
        const auto& member = std::get<forms::JsonMember>(inner.form);
        const Item& value = member.inner.front();
        auto found = std::find_if(members.begin(), members.end(),
                                  [&](const JsonMember& m) { return m.key == member.key; });
        JsonText alone = text;
        if (found != members.end() && read(value, alone, *found, wanted)) {
            ++result.members;
        } else if (model::is<forms::JsonConstant>(value)) {
            result.constants = false;
        } else if (found != members.end()) {
            JsonText inside = text;
            fit(value, inside, *found, wanted, result);
        }
    }
}

bool JsonLayout::read(const Item& item, JsonText& text, const JsonMember& at, const Wanted& wanted) const {
    if (const auto* constant = model::as<forms::JsonConstant>(item))
        return read_constant(*constant, text, at);
    if (const auto* value = model::as<forms::JsonValue>(item)) return read_value(*value, text, at, wanted);
    if (const auto* object = model::as<forms::JsonObject>(item))
        return read_object(*object, text, at, wanted);
    if (const auto* array = model::as<forms::JsonArray>(item)) return read_array(*array, text, at, wanted);
    if (const auto* each = model::as<forms::JsonEach>(item)) return read_each(*each, text, at, wanted);
    return false;
}

bool JsonLayout::read_constant(const forms::JsonConstant& constant, JsonText& text,
                               const JsonMember& at) const {
    std::string expected;
    append_constant(constant, expected);
    std::string_view written = text.written(at);
    bool same = written == expected;
    if (auto* string = std::get_if<std::string>(&constant.value); string && !same && written.starts_with('"'))
        same = text.string_at(at) == *string;
    if (std::holds_alternative<double>(constant.value) && !same) {
        double number = 0;
        auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
        same = error == std::errc() && end == written.data() + written.size() &&
               number == std::get<double>(constant.value);
    }
    return same || text.refuse(at, expected);
}

bool JsonLayout::read_value(const forms::JsonValue& value, JsonText& text, const JsonMember& at,
                            const Wanted& wanted) const {
    std::size_t root = 0;
    Value* out = find(value, wanted, root);
    if (!out) return false;
    TypeId type = type_of(value);
    if (value.transform == model::Transform::base64 && pool_->types().kind(type) == TypeKind::bytes) {
        auto digits = text.string_at(at);
        if (!digits) return false;
        auto bytes = expr::coded(expr::Op::unbase64, *digits);
        if (!bytes) return text.refuse(at, "bytes in base64");
        *out = expr::Bytes{std::move(*bytes)};
        return true;
    }
    auto read = text.value(at, type);
    if (!read) return false;
    *out = std::move(*read);
    return true;
}

bool JsonLayout::read_object(const forms::JsonObject& object, JsonText& text, const JsonMember& at,
                             const Wanted& wanted) const {
    std::vector<JsonMember> members;
    if (!text.members_of(at, members)) return false;
    std::size_t known = 0;
    for (const Item& inner : object.inner) {
        const auto& member = std::get<forms::JsonMember>(inner.form);
        const JsonMember* found = nullptr;
        for (const JsonMember& m : members)
            if (m.key == member.key) found = &m;
        const auto* path = model::as<forms::JsonValue>(member.inner.front());
        if (!found && path && pool_->types().kind(type_of(*path)) == TypeKind::optional) {
            std::size_t root = 0;
            if (Value* out = find(*path, wanted, root)) *out = expr::Sequence{};
            continue;
        }
        if (!found)
            return text.refuse_because(at.begin,
                                       fmt::format("the object has no member `{}`", readable(member.key)));
        ++known;
        if (!read(member.inner.front(), text, *found, wanted)) {
            text.inside(place_of(member.key));
            return false;
        }
    }
    if (object.open || known == members.size()) return true;
    for (const JsonMember& m : members) {
        bool expected = false;
        for (const Item& inner : object.inner)
            expected = expected || std::get<forms::JsonMember>(inner.form).key == m.key;
        if (!expected)
            return text.refuse_because(m.key_at, fmt::format("unexpected member `{}`", readable(m.key)));
    }
    return true;
}

bool JsonLayout::read_array(const forms::JsonArray& array, JsonText& text, const JsonMember& at,
                            const Wanted& wanted) const {
    std::vector<JsonMember> elements;
    if (!text.elements_of(at, elements)) return false;
    if (elements.size() != array.inner.size())
        return text.refuse_because(at.begin,
                                   fmt::format("expected {} element{}, found {}", array.inner.size(),
                                               array.inner.size() == 1 ? "" : "s", elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (!read(array.inner[i], text, elements[i], wanted)) {
            text.inside(fmt::format("[{}]", i));
            return false;
        }
    return true;
}

bool JsonLayout::read_each(const forms::JsonEach& each, JsonText& text, const JsonMember& at,
                           const Wanted& wanted) const {
    std::size_t root = 0;
    Value* out = find(each.list, wanted, root);
    std::vector<JsonMember> elements;
    if (!out || !text.elements_of(at, elements)) return false;
    expr::Sequence list;
    TypeId type = pool_->variable(each.variable).type;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        list.items.push_back(blank_value(pool_->types(), type));
        if (!read(each.inner.front(), text, elements[i],
                  Wanted{{&each.variable, 1}, {&list.items.back(), 1}})) {
            text.inside(fmt::format("[{}]", i));
            return false;
        }
    }
    *out = std::move(list);
    return true;
}

}  // namespace treaty::wire
