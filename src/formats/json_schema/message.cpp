#include "formats/json_schema/message.h"

#include <fmt/format.h>

namespace treaty::formats::json_schema {

std::string Message::with(const std::vector<std::string>& arguments) const {
    return arguments.empty() ? name : fmt::format("{}({})", name, fmt::join(arguments, ", "));
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
    message.demands.push_back(fmt::format("{}", fmt::join(demands, " and ")));
    message.fields.push_back(field);
    message.types.push_back(may_be_missing ? fmt::format("optional<{}>", type) : type);
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

}  // namespace treaty::formats::json_schema
