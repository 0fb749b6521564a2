#include "track/broken_condition.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/utf8.h"
#include "expr/comparison.h"
#include "expr/print.h"

namespace treaty::track {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Value;
using expr::VarId;

constexpr std::size_t longest_value = 60;
constexpr std::size_t longest_condition = 120;

// Never in the middle of a UTF-8 sequence.
std::string cut(std::string text, std::size_t longest) {
    if (text.size() <= longest) return text;
    std::size_t end = longest;
    while (end > 0 && base::is_continuation(text[end])) --end;
    return text.substr(0, end) + "...";
}

// Conditions on one event, printed with the names of the message's fields.
class Conditions {
public:
    Conditions(const model::Specification& specification, const model::Message& message,
               const expr::Environment& environment)
        : specification_(specification), message_(message), environment_(environment) {}

    // This variable is the field of that position.
    void bind(VarId variable, std::size_t field) { fields_.emplace(variable, name_of(field)); }

    // A field that must have the value of an expression.
    std::string equality(std::size_t field, ExprId expected) const {
        auto result = expr::evaluate(pool(), expected, environment_);
        if (auto* fault = std::get_if<expr::Fault>(&result))
            return fmt::format("{} == {}, which has no value: {}", name_of(field), operand(expected),
                               fault->reason);
        for (VarId v : pool().variables_of(expected)) {
            const Value* earlier = environment_.get(v);
            if (!earlier || specification_.names->text(pool().variable(v).name) != name_of(field)) continue;
            // A variable that has the field's name has a value of its own, from before the message.
            if (pool()[expected].op == Op::var)
                return fmt::format("{0} == {1} (the earlier {0})", name_of(field), value_of(expected));
            return fmt::format("{0} == {1} ({2} with the earlier {0} = {3})", name_of(field),
                               value_of(expected), print(expected),
                               print_short(specification_, *earlier, pool().variable(v).type));
        }
        return fmt::format("{} == {}{}", name_of(field), operand(expected), computed(expected));
    }

    // The first part of a conjunction that does not hold.
    std::string first_broken(ExprId condition) const {
        while (pool()[condition].op == Op::logical_and) {
            auto sides = pool().children(condition);
            condition = sides[expr::satisfied(pool(), sides[0], environment_) ? 1 : 0];
        }
        expr::Fault fault;
        bool holds = expr::satisfied(pool(), condition, environment_, &fault);
        if (!holds && !fault.reason.empty())
            return fmt::format("{}, which has no value: {}", print(condition), fault.reason);
        return explained(condition);
    }

private:
    const expr::Pool& pool() const { return *specification_.pool; }
    std::string_view name_of(std::size_t field) const {
        return specification_.names->text(message_.fields[field].name);
    }

    // Fields by their own names. A variable from before the message that would be printed like another one is
    // replaced by its value, which is then explained: `n == 3 (3 is the earlier n)`.
    struct Naming {
        expr::VariableNames names;
        std::vector<std::string> notes;
    };
    Naming naming_of(ExprId condition) const {
        Naming naming;
        std::vector<VarId> variables = pool().variables_of(condition);
        auto printed = [&](VarId v) {
            auto field = fields_.find(v);
            return field != fields_.end() ? field->second
                                          : specification_.names->text(pool().variable(v).name);
        };
        for (VarId v : variables) {
            if (auto field = fields_.find(v); field != fields_.end()) {
                naming.names.emplace(v, field->second);
                continue;
            }
            const Value* value = environment_.get(v);
            bool taken = std::any_of(variables.begin(), variables.end(),
                                     [&](VarId other) { return other != v && printed(other) == printed(v); });
            if (!taken || !value) continue;
            std::string text = print_short(specification_, *value, pool().variable(v).type);
            naming.notes.push_back(fmt::format("{} is the earlier {}", text, printed(v)));
            naming.names.emplace(v, std::move(text));
        }
        return naming;
    }

    std::string print(ExprId e) const {
        return cut(expr::print(pool(), e, naming_of(e).names), longest_condition);
    }

    // In parentheses where that is needed to the right of `==`.
    std::string operand(ExprId e) const {
        Op op = pool()[e].op;
        bool plain = op == Op::var || op == Op::literal || op == Op::call;
        bool open = !plain && pool()[e].type == specification_.types->boolean();
        return open ? fmt::format("({})", print(e)) : print(e);
    }

    std::string value_of(ExprId e) const {
        auto result = expr::evaluate(pool(), e, environment_);
        auto* value = std::get_if<Value>(&result);
        return value ? print_short(specification_, *value, pool()[e].type) : "no value";
    }

    // " = 100" after an expression that does not show its value.
    std::string computed(ExprId e) const { return pool().is_literal(e) ? "" : " = " + value_of(e); }

    bool is_field(ExprId e) const { return pool()[e].op == Op::var && fields_.contains(pool().var_of(e)); }

    std::string explained(ExprId condition) const {
        std::string text = print(condition);
        std::vector<std::string> notes = naming_of(condition).notes;
        if (expr::is_comparison(pool()[condition].op)) {
            auto sides = pool().children(condition);
            if (is_field(sides[0]) && !is_field(sides[1])) {
                bool shown = !notes.empty() && pool()[sides[1]].op == Op::var;
                text += shown ? "" : computed(sides[1]);
            } else if (!is_field(sides[0]) && !(is_field(sides[1]) && pool().is_literal(sides[0]))) {
                notes.insert(notes.begin(), fmt::format("{} and {}", value_of(sides[0]), value_of(sides[1])));
            }
        } else {
            add_known(condition, notes);
        }
        return notes.empty() ? text : fmt::format("{} ({})", text, fmt::join(notes, ", "));
    }

    // "n = 10" for what a condition reads from before the message and `notes` does not explain.
    void add_known(ExprId condition, std::vector<std::string>& notes) const {
        expr::VariableNames replaced = naming_of(condition).names;
        for (VarId v : pool().variables_of(condition)) {
            const Value* value = replaced.contains(v) ? nullptr : environment_.get(v);
            if (!value) continue;
            notes.push_back(fmt::format("{} = {}", specification_.names->text(pool().variable(v).name),
                                        print_short(specification_, *value, pool().variable(v).type)));
        }
    }

    const model::Specification& specification_;
    const model::Message& message_;
    const expr::Environment& environment_;
    absl::flat_hash_map<VarId, std::string_view> fields_;
};

// What run_data() finds wrong with the event's values. partly: variables without a value are those of
// messages that were not seen; conditions on them are left out.
std::optional<std::string> broken_by(const model::Specification& specification, const model::Transition& t,
                                     const model::Message& message, std::span<const Value> values,
                                     expr::Environment environment, bool partly) {
    if (values.size() != message.fields.size()) return std::nullopt;
    const expr::Pool& pool = *specification.pool;
    auto left_out = [&](ExprId e) {
        auto variables = pool.variables_of(e);
        return partly && std::any_of(variables.begin(), variables.end(),
                                     [&](VarId v) { return environment.get(v) == nullptr; });
    };
    Conditions conditions(specification, message, environment);
    std::size_t arguments = std::min(values.size(), t.data.size());
    for (std::size_t i = 0; i < arguments; ++i) {
        if (!t.data[i].value || left_out(t.data[i].value)) continue;
        auto known = expr::evaluate(pool, t.data[i].value, environment);
        auto* value = std::get_if<Value>(&known);
        if (!value || !(*value == values[i])) return conditions.equality(i, t.data[i].value);
    }
    for (std::size_t i = 0; i < arguments; ++i) {
        if (!t.data[i].bind) continue;
        environment.set(t.data[i].bind, values[i]);
        conditions.bind(t.data[i].bind, i);
    }
    if (t.where && !left_out(t.where) && !expr::satisfied(pool, t.where, environment))
        return conditions.first_broken(t.where);
    return std::nullopt;
}

}  // namespace

std::vector<BrokenCondition> broken_conditions(const model::Specification& specification, Tracker& tracker,
                                               model::LabelId label, std::span<const Value> values) {
    std::vector<BrokenCondition> result;
    const model::Net& net = tracker.net().net();
    const model::Event& event = net.alphabet().event(label);
    if (!net.pool() || !event.message || event.message.index >= specification.messages.size()) return result;
    auto add = [&](const EnabledTransition& enabled, bool partly) {
        const model::Transition& t = net.transitions()[enabled.transition.index];
        if (t.label != label) return;
        auto text = broken_by(specification, t, specification.message(event.message), values,
                              enabled.environment, partly);
        if (!text) return;
        BrokenCondition one{t.node, std::move(*text)};
        if (std::find(result.begin(), result.end(), one) == result.end()) result.push_back(std::move(one));
    };
    Inference& inference = tracker.net().inference();
    for (const Configuration& c : tracker.configurations())
        for (const EnabledTransition& enabled : inference.next(c)) add(enabled, false);
    // Outputs on other channels that have not arrived yet may be before it.
    constexpr std::size_t most_later = 3;
    if (result.empty() && inference.relevance().output(label) && inference.output_channels() > 1)
        for (const Configuration& c : tracker.configurations())
            for (const EnabledTransition& enabled : inference.later(c, label))
                if (result.size() < most_later) add(enabled, true);
    return result;
}

std::string broken_declaration(const model::Specification& specification, model::MessageId message,
                               std::span<const Value> values) {
    const model::Message& declared = specification.message(message);
    expr::Environment environment;
    Conditions conditions(specification, declared, environment);
    for (std::size_t i = 0; i < std::min(values.size(), declared.fields.size()); ++i) {
        const expr::Field& field = declared.fields[i];
        if (!expr::belongs(values[i], field.type, *specification.types))
            return fmt::format("{}: {}", specification.names->text(field.name),
                               specification.types->print(field.type, *specification.names));
        if (i >= declared.variables.size()) continue;
        environment.set(declared.variables[i], values[i]);
        conditions.bind(declared.variables[i], i);
    }
    if (!declared.where || expr::satisfied(*specification.pool, declared.where, environment)) return {};
    return conditions.first_broken(declared.where);
}

std::string print_short(const model::Specification& specification, const Value& value, expr::TypeId type) {
    return cut(expr::print(value, type, *specification.types, *specification.names), longest_value);
}

}  // namespace treaty::track
