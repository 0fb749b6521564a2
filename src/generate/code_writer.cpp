#include "generate/code_writer.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "generate/codes.h"
#include "generate/literals.h"

namespace treaty::generate {

using expr::TypeKind;

CodeWriter::CodeWriter(const RoleSource& source, Language language, base::Diagnostics& diagnostics,
                       std::string messages)
    : source_(source),
      language_(language),
      diagnostics_(diagnostics),
      protocol_name_(snake_case(source.protocol.name())),
      declared_(language),
      roles_(language),
      types_(*source.specification.types, *source.specification.names, declared_, messages),
      expressions_(*source.specification.pool, types_, patterns_, declared_, messages),
      variables_(language) {
    std::set<model::MessageId> used;
    for (std::size_t i = 0; i < source.protocol.size(); ++i) {
        const model::Node& node = source.protocol[model::NodeId(i)];
        if (node.kind == model::NodeKind::interaction) used.insert(node.message);
    }
    messages_.assign(used.begin(), used.end());
    protocol_name_ = identifier(protocol_name_, language);
    for (const char* taken : {"fault", "ROLES", "dataclass", "IntEnum", "annotations"})
        declared_.reserve(taken);
    // All names are chosen now, so that they do not depend on the role.
    for (model::MessageId m : messages_) name(m);
    for (expr::TypeId type : named_types()) types_.name_of(type);
    for (expr::FunctionId f : functions()) function_name(f);
    for (const char* taken : {"messages", "role", "Message", "message_names", "count", "names", "to"})
        roles_.reserve(taken);
    for (model::RoleId role : source.protocol.roles()) name(role);
}

std::string CodeWriter::source_file() const {
    return place_of(source_.sources, source_.protocol.span()).file;
}

std::size_t CodeWriter::position(model::RoleId role) const {
    auto roles = source_.protocol.roles();
    return static_cast<std::size_t>(std::find(roles.begin(), roles.end(), role) - roles.begin());
}

const std::string& CodeWriter::name(model::MessageId message) {
    return declared_.name({Declared::message, message.index}, alphabet().name(message));
}

const std::string& CodeWriter::name(model::RoleId role) {
    return roles_.name({Declared::role, role.index}, alphabet().name(role));
}

std::string CodeWriter::file_name(model::RoleId role) {
    std::string own = snake_case(alphabet().name(role));
    auto roles = source_.protocol.roles();
    bool alone = std::count_if(roles.begin(), roles.end(), [&](model::RoleId other) {
                     return snake_case(alphabet().name(other)) == own;
                 }) == 1;
    return fmt::format("{}_{}", protocol_name_, alone ? own : name(role));
}

namespace {

// Calls the function with every expression of the protocol and of its messages.
void for_each_expression(const CodeWriter& writer, const std::function<void(expr::ExprId)>& function) {
    for (model::MessageId m : writer.messages())
        if (expr::ExprId where = writer.specification().message(m).where) function(where);
    const model::Protocol& protocol = writer.protocol();
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        model::NodeId id(i);
        if (protocol[id].guard) function(protocol[id].guard);
        for (const model::Argument& a : protocol.arguments(id))
            if (a.value) function(a.value);
    }
}

}  // namespace

std::vector<expr::TypeId> CodeWriter::named_types() const {
    std::vector<expr::TypeId> order;
    std::set<expr::TypeId> seen;
    const expr::Types& types = types_.types();
    std::function<void(expr::TypeId)> visit = [&](expr::TypeId id) {
        if (!seen.insert(id).second) return;
        const expr::Type& type = types[id];
        if (type.element) visit(type.element);
        for (const expr::Field& f : type.fields) visit(f.type);
        if (type.name && (type.kind == TypeKind::record || type.kind == TypeKind::enumeration))
            order.push_back(id);
    };
    for (model::MessageId m : messages_)
        for (const expr::Field& f : specification().message(m).fields) visit(f.type);
    auto visit_parts = [&](expr::ExprId e) {
        for (expr::ExprId part : pool().parts_of(e)) visit(pool()[part].type);
    };
    for_each_expression(*this, visit_parts);
    for (expr::FunctionId f : functions()) {
        for (expr::VarId p : pool().function(f).parameters) visit(pool().variable(p).type);
        visit_parts(pool().function(f).body);
    }
    return order;
}

std::vector<expr::FunctionId> CodeWriter::functions() const {
    std::vector<expr::FunctionId> order;
    std::set<expr::FunctionId> seen;
    std::function<void(expr::ExprId)> visit = [&](expr::ExprId e) {
        for (expr::ExprId part : pool().parts_of(e)) {
            if (!expr::has_function(pool()[part].op)) continue;
            expr::FunctionId f(pool()[part].payload);
            if (!seen.insert(f).second) continue;
            visit(pool().function(f).body);
            if (pool().function(f).name) order.push_back(f);
        }
    };
    for_each_expression(*this, visit);
    return order;
}

std::string CodeWriter::field_name(expr::VarId field) const {
    return identifier(pool().names().text(pool().variable(field).name), language_);
}

std::vector<std::string> CodeWriter::parameter_names(model::MessageId message,
                                                     std::initializer_list<std::string_view> taken) const {
    std::vector<std::string> names;
    for (const expr::Field& f : specification().message(message).fields)
        names.push_back(types_.field_name(f.name));
    std::set<std::string> used(names.begin(), names.end());
    for (std::string& name : names)
        if (std::find(taken.begin(), taken.end(), name) != taken.end())
            while (!used.insert(name).second) name += '_';
    return names;
}

const std::string& CodeWriter::variable_name(expr::VarId variable) {
    return variables_.name({Declared::variable, variable.index},
                           pool().names().text(pool().variable(variable).name));
}

void CodeWriter::report(base::Span at) {
    if (expressions_.refusal().empty()) return;
    diagnostics_.report(
        types_.refusal().empty() ? codes::no_code_for_expression : codes::no_code_for_type, at,
        fmt::format("{} cannot be written in {}", expressions_.refusal(), to_string(language_)));
    expressions_.clear_refusal();
    ok_ = false;
}

std::string CodeWriter::type(expr::TypeId id, base::Span at) {
    std::string text = types_.print(id);
    report(at);
    return text;
}

std::string CodeWriter::expression(expr::ExprId e, expr::TypeId wanted, const Frame& frame, base::Span at) {
    auto variable = [&](expr::VarId v) {
        if (frame.message) {
            const auto& fields = specification().message(frame.message).variables;
            auto field = std::find(fields.begin(), fields.end(), v);
            if (field != fields.end()) return frame.message_prefix + field_name(v);
        }
        return frame.data_prefix + variable_name(v);
    };
    return expression(e, wanted, variable, at);
}

std::string CodeWriter::expression(expr::ExprId e, expr::TypeId wanted,
                                   const ExpressionCode::VariableName& variable, base::Span at) {
    std::string text = expressions_.print(e, wanted, variable);
    report(at);
    return text;
}

std::string without_parentheses(const std::string& text) {
    if (!text.starts_with('(')) return text;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '\\' && quoted) ++i;
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0) return i + 1 == text.size() ? text.substr(1, text.size() - 2) : text;
    }
    return text;
}

std::string CodeWriter::condition(const std::vector<Condition>& conditions, const Frame& frame,
                                  base::Span at) {
    std::string text;
    for (const Condition& c : conditions) {
        if (!text.empty()) text += language_ == Language::python ? " and " : " && ";
        text += expression(c.condition, pool().types().boolean(), frame, at);
    }
    return conditions.size() == 1 ? without_parentheses(text) : text;
}

std::string CodeWriter::body(expr::FunctionId function, const std::vector<std::string>& parameters) {
    const expr::Function& f = pool().function(function);
    auto variable = [&](expr::VarId v) {
        auto found = std::find(f.parameters.begin(), f.parameters.end(), v);
        std::size_t i = static_cast<std::size_t>(found - f.parameters.begin());
        return i < parameters.size() ? parameters[i] : field_name(v);
    };
    std::string text = expressions_.print(f.body, f.result, variable);
    report(source_.protocol.span());
    return text;
}

std::string CodeWriter::in_range(expr::TypeId id, const std::string& value, int depth) {
    const expr::Type& type = types_.types()[id];
    bool cpp = language_ == Language::cpp, python = language_ == Language::python;
    std::string conjunction = python ? " and " : " && ";
    std::string all;
    auto add = [&](const std::string& condition) {
        if (!condition.empty()) all += (all.empty() ? "" : conjunction) + condition;
    };
    std::string item = fmt::format("x{}", depth);
    auto for_items = [&](std::string_view function, expr::TypeId element) -> std::string {
        std::string inner = in_range(element, item, depth + 1);
        if (inner.empty()) return "";
        if (cpp)
            return fmt::format("treaty::{}({}, [&](const auto& {}) {{ return {}; }})", function, value, item,
                               inner);
        if (python) return fmt::format("all({} for {} in {})", inner, item, value);
        return fmt::format("{}.every(({}) => {})", value, item, inner);
    };
    switch (type.kind) {
        case TypeKind::integer:
            if (type.low) add(fmt::format("{} >= {}", value, integer_literal(*type.low, language_)));
            if (type.high) add(fmt::format("{} <= {}", value, integer_literal(*type.high, language_)));
            break;
        case TypeKind::list:
        case TypeKind::set: return for_items("all", type.element);
        case TypeKind::optional: {
            std::string inner = in_range(type.element, cpp ? "*" + value : value, depth + 1);
            if (inner.empty()) return "";
            if (cpp) return fmt::format("(!{} || ({}))", value, inner);
            if (python) return fmt::format("({} is None or ({}))", value, inner);
            return fmt::format("({} === null || ({}))", value, inner);
        }
        case TypeKind::record:
            for (const expr::Field& f : type.fields)
                add(in_range(f.type, fmt::format("{}.{}", value, types_.field_name(f.name)), depth));
            break;
        default: break;
    }
    return all;
}

bool CodeWriter::is_checked(model::MessageId message) {
    const model::Message& declared = specification().message(message);
    return declared.where ||
           std::any_of(declared.fields.begin(), declared.fields.end(),
                       [&](const expr::Field& f) { return !in_range(f.type, "x").empty(); });
}

std::string CodeWriter::range_text(expr::TypeId id) const {
    return types_.types().print(id, *source_.specification.names);
}

std::string alternatives_text(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i)
        text += (i == 0 ? "" : i + 1 == items.size() ? " or " : ", ") + items[i];
    return text;
}

std::string CodeWriter::describe(const RoleCode& role, const StateCode& state) const {
    std::string text(alphabet().name(role.role));
    if (state.is_done()) return text + " has finished";
    for (bool sends : {true, false}) {
        std::vector<std::string> items;
        for (const Operation& o : state.operations)
            if (o.sends == sends)
                items.push_back(fmt::format("{} {} {}", alphabet().name(o.message), sends ? "to" : "from",
                                            alphabet().name(o.peer)));
        if (items.empty()) continue;
        if (text.find(' ') != std::string::npos) text += ", or";
        text += fmt::format(" {} {}", sends ? "sends" : "receives", alternatives_text(items));
    }
    return text;
}

Place CodeWriter::place(const StateCode& state) const {
    Place first;
    for (const Operation& o : state.operations)
        for (const Alternative& a : o.alternatives)
            if (a.place.line != 0 && (first.line == 0 || a.place.line < first.line)) first = a.place;
    return first;
}

std::string CodeWriter::step(const RoleCode& role, const StateCode& state) const {
    std::string reference = place(state).reference();
    return reference + (reference.empty() ? "" : ": ") + describe(role, state);
}

std::string CodeWriter::why_not(const Alternative& a, const Condition& c) const {
    return fmt::format("{}: {}: requires {}", a.place.reference(), a.place.text, c.text);
}

std::string CodeWriter::none_applies(const Operation& operation) const {
    std::vector<std::string> places;
    for (const Alternative& a : operation.alternatives) places.push_back(a.place.reference());
    return fmt::format("{} with this data is none of {}", alphabet().name(operation.message),
                       alternatives_text(places));
}

std::string CodeWriter::no_value(const Alternative& a) {
    return fmt::format("{}: {}: a value that is remembered is beyond 64 bits", a.place.reference(),
                       a.place.text);
}

std::vector<std::string> CodeWriter::lines(const std::vector<const Alternative*>& alternatives) {
    std::vector<std::string> lines;
    for (const Alternative* a : alternatives) {
        std::string line = fmt::format("{}: {}", a->place.reference(), a->place.text);
        if (a->place.line != 0 && std::find(lines.begin(), lines.end(), line) == lines.end())
            lines.push_back(std::move(line));
    }
    return lines;
}

bool CodeWriter::reads_message(const Operation& operation) const {
    const auto& fields = specification().message(operation.message).variables;
    auto reads = [&](expr::ExprId e) {
        auto variables = pool().variables_of(e);
        return std::any_of(variables.begin(), variables.end(), [&](expr::VarId v) {
            return std::find(fields.begin(), fields.end(), v) != fields.end();
        });
    };
    return std::any_of(operation.alternatives.begin(), operation.alternatives.end(),
                       [&](const Alternative& a) {
                           return std::any_of(a.conditions.begin(), a.conditions.end(),
                                              [&](const Condition& c) { return reads(c.condition); }) ||
                                  std::any_of(a.updates.begin(), a.updates.end(),
                                              [&](const Update& u) { return reads(u.value); });
                       });
}

std::string CodeWriter::quoted(std::string_view text) const {
    return text_literal(text, language_).value_or("\"\"");
}

}  // namespace treaty::generate
