#include "formats/json_schema/schema.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/escape.h"
#include "formats/codes.h"

namespace treaty::formats::json_schema {
namespace {

std::optional<std::uint64_t> count_of(const YamlNode& node, std::string_view key) {
    std::string_view text = node.text_of(key);
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_integer(std::string_view text) {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// As the language writes numbers: digits, and perhaps a point and digits.
bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    std::size_t point = text.find('.');
    auto digits = [](std::string_view s) {
        return !s.empty() && s.size() < 18 && s.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (point == std::string_view::npos) return digits(text);
    return digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

}  // namespace

std::string string_literal(std::string_view text) {
    return base::quoted_bytes(text);
}

void SchemaReader::left_out(base::Span span, std::string what) {
    if (!told_.emplace(span.file.index, span.begin).second) return;
    diagnostics_.report(codes::document_left_out, span, std::move(what));
}

std::shared_ptr<const Schema> SchemaReader::read(const YamlNode& node) {
    auto schema = std::make_shared<Schema>();
    schema->span = node.span;
    schema->name = References::name_of(node);
    const YamlNode* meant = references_.follow(node);
    schema->node = meant;
    if (meant) schema->title = meant->text_of("title");
    if (!meant || ++made_ > most_made) {
        schema->why = "cannot be read";
        return schema;
    }
    if (std::find(open_.begin(), open_.end(), meant) != open_.end()) {
        schema->why = "contains itself";
        return schema;
    }
    open_.push_back(meant);
    read_into(*meant, *schema);
    open_.pop_back();
    for (Schema::Property& property : schema->properties)
        property.required = schema->required.contains(property.name);
    return schema;
}

void SchemaReader::read_into(const YamlNode& node, Schema& schema) {
    if (!node.is_map()) {  // `true` of 3.1, or nothing
        schema.why = "can be anything";
        return;
    }
    read_type(node, schema);
    read_allowed(node, schema);
    read_bounds(node, schema);
    if (const YamlNode* all = node.find("allOf"); all && all->is_list())
        for (const YamlNode& part : all->items)
            if (const YamlNode* meant = references_.follow(part);
                meant && std::find(open_.begin(), open_.end(), meant) == open_.end()) {
                open_.push_back(meant);
                read_into(*meant, schema);
                open_.pop_back();
            }
    read_object(node, schema);
    if (const YamlNode* items = node.find("items"); items && schema.kind == Schema::Kind::list)
        schema.items = read(*items);
    if (schema.kind == Schema::Kind::list && !schema.items) {
        schema.kind = Schema::Kind::unknown;
        schema.why = "is a list of anything";
    }
    read_variants(node, schema);
    for (std::string_view key : {"not", "patternProperties", "if", "dependentRequired", "contains",
                                 "prefixItems", "propertyNames", "uniqueItems"})
        if (const YamlNode* found = node.find(key); found && found->text != "false")
            left_out(found->span, fmt::format("`{}` is not checked", key));
    if (schema.kind == Schema::Kind::unknown && schema.why.empty()) schema.why = "can be anything";
}

void SchemaReader::read_type(const YamlNode& node, Schema& schema) {
    using Kind = Schema::Kind;
    if (node.is_true("nullable")) schema.nullable = true;
    const YamlNode* type = node.find("type");
    std::string word;
    if (type && type->is_scalar()) word = type->text;
    if (type && type->is_list())
        for (const YamlNode& one : type->items) {
            if (one.text == "null") {
                schema.nullable = true;
            } else if (word.empty()) {
                word = one.text;
            } else {
                schema.why = "has several types";
                return;
            }
        }
    if (word == "boolean") schema.kind = Kind::boolean;
    if (word == "integer") schema.kind = Kind::integer;
    if (word == "number") schema.kind = Kind::number;
    if (word == "string") schema.kind = Kind::text;
    if (word == "array") schema.kind = Kind::list;
    if (word == "object" || (word.empty() && node.find("properties"))) schema.kind = Kind::object;
}

void SchemaReader::read_allowed(const YamlNode& node, Schema& schema) {
    std::vector<const YamlNode*> values;
    if (const YamlNode* one = node.find("const")) values.push_back(one);
    if (const YamlNode* several = node.find("enum"); several && several->is_list())
        for (const YamlNode& one : several->items) values.push_back(&one);
    if (values.empty()) return;
    using Kind = Schema::Kind;
    std::vector<std::string> allowed;
    for (const YamlNode* value : values) {
        if (value->kind == YamlNode::Kind::null || (!value->quoted && value->text == "null")) {
            schema.nullable = true;
            continue;
        }
        bool looks_integer = value->is_scalar() && !value->quoted && is_integer(value->text);
        if (schema.kind == Kind::unknown) schema.kind = looks_integer ? Kind::integer : Kind::text;
        if (value->is_scalar() && schema.kind == Kind::text)
            allowed.push_back(string_literal(value->text));
        else if (looks_integer && schema.kind == Kind::integer)
            allowed.push_back(value->text);
        else {
            left_out(value->span, "only texts and integers can be listed as values; the list is not checked");
            return;
        }
    }
    schema.allowed = std::move(allowed);
}

void SchemaReader::read_bounds(const YamlNode& node, Schema& schema) {
    auto bound = [&](std::string_view key, std::optional<std::string>& into) {
        std::string_view text = node.text_of(key);
        if (text.empty()) return false;
        bool fits = schema.kind == Schema::Kind::integer ? is_integer(text) : is_number(text);
        if (fits)
            into = std::string(text);
        else if (text != "true" && text != "false")
            left_out(node.find(key)->span, fmt::format("`{}: {}` is not checked", key, text));
        return fits;
    };
    bound("minimum", schema.least);
    bound("maximum", schema.most);
    // 3.0: a truth value next to the bound; 3.1: a bound of its own.
    schema.above_least |= node.is_true("exclusiveMinimum") || bound("exclusiveMinimum", schema.least);
    schema.below_most |= node.is_true("exclusiveMaximum") || bound("exclusiveMaximum", schema.most);
    if (schema.kind == Schema::Kind::integer) bound("multipleOf", schema.multiple);
    if (schema.kind == Schema::Kind::number && node.find("multipleOf"))
        left_out(node.find("multipleOf")->span, "`multipleOf` of a number with a fraction is not checked");
    bool list = schema.kind == Schema::Kind::list;
    if (auto n = count_of(node, list ? "minItems" : "minLength")) schema.fewest = n;
    if (auto n = count_of(node, list ? "maxItems" : "maxLength")) schema.longest = n;
    if (node.find("pattern")) schema.pattern = node.text_of("pattern");
    if (node.find("format")) schema.format = node.text_of("format");
}

void SchemaReader::read_object(const YamlNode& node, Schema& schema) {
    if (const YamlNode* more = node.find("additionalProperties")) schema.closed = more->text == "false";
    if (const YamlNode* properties = node.find("properties"); properties && properties->is_map()) {
        schema.kind = Schema::Kind::object;
        for (const auto& [key, property] : properties->members) {
            const std::string& name = key;
            auto same = [&](const Schema::Property& p) { return p.name == name; };
            if (std::none_of(schema.properties.begin(), schema.properties.end(), same))
                schema.properties.push_back({name, read(property), false});
        }
    }
    if (const YamlNode* required = node.find("required"); required && required->is_list())
        for (const YamlNode& name : required->items) schema.required.insert(name.text);
}

void SchemaReader::read_variants(const YamlNode& node, Schema& schema) {
    for (std::string_view key : {"oneOf", "anyOf"}) {
        const YamlNode* several = node.find(key);
        if (!several || !several->is_list() || several->items.empty()) continue;
        std::vector<std::shared_ptr<const Schema>> found;
        for (const YamlNode& one : several->items) {
            const YamlNode* meant = references_.follow(one);
            if (meant && meant->text_of("type") == "null")
                schema.nullable = true;
            else
                found.push_back(read(one));
        }
        if (found.empty()) continue;
        if (found.size() == 1) {  // `anyOf` with null is how 3.1 says nullable
            Schema only = *found.front();
            only.nullable = true;
            schema = std::move(only);
        } else {
            schema.kind = Schema::Kind::variants;
            schema.variants = std::move(found);
        }
        return;
    }
}

}  // namespace treaty::formats::json_schema
