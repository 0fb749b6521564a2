#include "model/run.h"

#include <fmt/format.h>

namespace treaty::model {

std::string_view to_string(Direction direction) {
    switch (direction) {
        case Direction::both: return "->";
        case Direction::sent: return "!";
        case Direction::received: return "?";
        case Direction::none: return "";
    }
    return "";
}

RunEvent event_of(const Alphabet& alphabet, LabelId label, RoleId actor) {
    const Event& event = alphabet.event(label);
    RunEvent out;
    out.direction = Direction::none;
    switch (event.kind) {
        case EventKind::silent:
            out.message = actor ? fmt::format("{}: tau", alphabet.name(actor)) : "tau";
            return out;
        case EventKind::plain: out.message = alphabet.name(event.message); return out;
        case EventKind::interaction: out.direction = Direction::both; break;
        case EventKind::send: out.direction = Direction::sent; break;
        case EventKind::receive: out.direction = Direction::received; break;
    }
    out.from = alphabet.name(event.from);
    out.to = alphabet.name(event.to);
    out.message = alphabet.name(event.message);
    return out;
}

void add_values(RunEvent& event, const Specification& specification, MessageId message,
                std::span<const expr::Value> values) {
    const auto& fields = specification.message(message).fields;
    for (std::size_t i = 0; i < fields.size() && i < values.size(); ++i)
        event.data.emplace_back(
            specification.names->text(fields[i].name),
            expr::datum_of(values[i], fields[i].type, *specification.types, *specification.names));
}

void add_values(RunEvent& event, const expr::Pool& pool,
                std::span<const std::pair<expr::VarId, expr::Value>> values) {
    for (const auto& [variable, value] : values)
        event.data.emplace_back(
            pool.names().text(pool.variable(variable).name),
            expr::datum_of(value, pool.variable(variable).type, pool.types(), pool.names()));
}

std::uint32_t line_of(const Protocol* protocol, NodeId node, const base::SourceMap& sources) {
    if (!protocol || !node || node.index >= protocol->size()) return 0;
    base::Span span = (*protocol)[node].span;
    return span.valid() ? sources.line_number(span.file, span.begin) : 0;
}

std::string print(const RunEvent& event) {
    std::string data;
    for (const auto& [name, value] : event.data)
        data += fmt::format("{}{} = {}", data.empty() ? "" : ", ", name, expr::print(value));
    std::string message = data.empty() ? event.message : fmt::format("{}({})", event.message, data);
    switch (event.direction) {
        case Direction::both: return fmt::format("{} -> {}: {}", event.from, event.to, message);
        case Direction::sent: return fmt::format("{} {}!{}", event.from, event.to, message);
        case Direction::received: return fmt::format("{} {}?{}", event.from, event.to, message);
        case Direction::none: return message;
    }
    return message;
}

}  // namespace treaty::model
