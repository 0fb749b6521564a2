#include "formats/json_schema/message.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::formats::json_schema {

std::string Message::with(const std::vector<std::string>& arguments) const {
    return arguments.empty() ? name : fmt::format("{}({})", name, fmt::join(arguments, ", "));
}

void Message::add(std::string field, std::string type) {
    fields.push_back(std::move(field));
    types.push_back(std::move(type));
    demands.emplace_back();
    schemas.emplace_back();
}

std::string Message::declaration() const {
    std::vector<std::string> typed;
    for (std::size_t i = 0; i < fields.size(); ++i)
        typed.push_back(fmt::format("{}: {}", fields[i], types[i]));
    std::string text = "message " + with(typed);
    // The only condition needs no parentheses.
    if (conditions.size() == 1 && conditions.front().starts_with('('))
        text += fmt::format(" where {}",
                            std::string_view(conditions.front()).substr(1, conditions.front().size() - 2));
    else if (!conditions.empty())
        text += fmt::format(" where {}", fmt::join(conditions, " and "));
    return text;
}

std::string Message::layout_line() const {
    return fmt::format("{} = {}", with(fields), layout);
}

std::string FieldMaker::add(Message& message, FreeNames& free, const std::string& name, const Schema& schema,
                            bool may_be_missing, Direction direction) {
    std::string field = free.take(name_near(name));
    std::string type = values_.type(schema, fmt::format("{}_{}", message.name, name));
    std::vector<std::string> conditions;
    values_.conditions(schema, may_be_missing ? fmt::format("value({})", field) : field, direction,
                       conditions);
    if (may_be_missing && !conditions.empty())
        message.conditions.push_back(
            fmt::format("(has({}) implies {})", field, fmt::join(conditions, " and ")));
    else
        message.conditions.insert(message.conditions.end(), conditions.begin(), conditions.end());
    std::vector<std::string> demands;
    values_.conditions(schema, std::string(1, Message::placeholder), direction, demands);
    message.add(field, may_be_missing ? fmt::format("optional<{}>", type) : type);
    message.demands.back() = fmt::format("{}", fmt::join(demands, " and "));
    message.schemas.back() = schema.weak_from_this().lock();
    return field;
}

std::string FieldMaker::add_properties(Message& message, FreeNames& free, const Schema& object,
                                       std::string_view source, Direction direction, bool in_form) {
    std::string members;
    for (const Schema::Property& property : object.properties) {
        bool constant = property.schema->is_constant();
        if (!constant && !values_.expressible(*property.schema)) continue;
        std::string field;
        if (!constant) {
            field = add(message, free, property.name, *property.schema, Values::may_be_missing(property),
                        direction);
            message.sources[fmt::format("{}{}", source, property.name)] = field;
        }
        std::string member = values_.member(property, field);
        if (in_form && member.starts_with("optional ")) member.erase(0, 9);
        if (!member.empty()) members += fmt::format("{}{}", members.empty() ? "" : ", ", member);
    }
    if (!object.closed) members += members.empty() ? "..." : ", ...";
    return members;
}

std::string FieldMaker::add_json(Message& message, FreeNames& free, const Schema& schema,
                                 std::string_view source, const std::string& single, Direction direction) {
    if (!values_.expressible(schema)) return {};
    if (schema.kind == Schema::Kind::object)
        return fmt::format("{{ {} }}",
                           add_properties(message, free, schema, fmt::format("{}#/", source), direction));
    std::string field =
        add(message, free, schema.kind == Schema::Kind::list ? "items" : single, schema, false, direction);
    message.sources[std::string(source)] = field;
    return values_.layout(schema, field);
}

std::string name_of_variant(const std::string& message, const Schema& variant) {
    std::string_view kind = variant.name.empty() ? variant.title : variant.name;
    return fmt::format("{}_{}", message, kind.empty() ? "variant" : name_near(kind));
}

std::optional<Path> path_of(const Message& message, std::string_view source) {
    Path path;
    while (true) {
        auto found = message.sources.find(std::string(source));
        if (found != message.sources.end()) {
            auto field = std::find(message.fields.begin(), message.fields.end(), found->second);
            path.field = static_cast<std::size_t>(field - message.fields.begin());
            return path;
        }
        if (source.ends_with('#')) {
            source.remove_suffix(1);
            continue;
        }
        std::size_t slash = source.rfind('/');
        if (slash == std::string_view::npos || source.find('#') > slash) return std::nullopt;
        path.rest.insert(path.rest.begin(), References::decoded(source.substr(slash + 1)));
        source = source.substr(0, slash);
    }
}

std::optional<Part> FieldMaker::part(const Message& message, const Path& path, const std::string& variable) {
    Part part{variable, message.types[path.field], message.demands[path.field], {}};
    if (path.rest.empty()) return part;
    bool may_be_missing = part.type.starts_with("optional<");
    auto guard = [&](std::string_view condition) {
        part.guard += fmt::format("{}{}", part.guard.empty() ? "" : " and ", condition);
    };
    const Schema* schema = message.schemas[path.field].get();
    for (const std::string& step : path.rest) {
        if (may_be_missing) {
            guard(fmt::format("has({})", part.value));
            part.value = fmt::format("value({})", part.value);
        }
        if (schema && schema->kind == Schema::Kind::list && !schema->items->nullable && !step.empty() &&
            step.size() < 7 && step.find_first_not_of("0123456789") == std::string::npos) {
            guard(fmt::format("size({}) > {}", part.value, step));
            part.value += fmt::format("[{}]", step);
            schema = schema->items.get();
            may_be_missing = false;
            continue;
        }
        if (!schema || schema->kind != Schema::Kind::object) return std::nullopt;
        auto property = std::find_if(schema->properties.begin(), schema->properties.end(),
                                     [&](const Schema::Property& p) { return p.name == step; });
        if (property == schema->properties.end() || property->schema->is_constant() ||
            !values_.expressible(*property->schema))
            return std::nullopt;
        part.value += "." + values_.field_names(*schema).at(step);
        may_be_missing = Values::may_be_missing(*property);
        schema = property->schema.get();
    }
    part.type = values_.type(*schema, fmt::format("{}_{}", message.name, path.rest.back()));
    if (may_be_missing) part.type = fmt::format("optional<{}>", part.type);
    std::vector<std::string> demands;
    values_.conditions(*schema, std::string(1, Message::placeholder), Direction::response, demands);
    part.demands = fmt::format("{}", fmt::join(demands, " and "));
    return part;
}

}  // namespace treaty::formats::json_schema
