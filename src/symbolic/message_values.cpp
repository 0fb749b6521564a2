#include "symbolic/message_values.h"

#include <algorithm>

#include "model/message_data.h"

namespace treaty::symbolic {

using expr::Value;

const std::vector<expr::Field>& MessageValues::fields(model::MessageId id) const {
    return model::fields_of(specification_, id);
}

std::vector<std::size_t> MessageValues::tested_fields(model::MessageId message) const {
    std::vector<std::size_t> result;
    for (std::size_t f = 0; f < fields(message).size(); ++f)
        if (choice_.tested({message, f})) result.push_back(f);
    return result;
}

// A message that is about to be sent.
struct MessageValues::Sending {
    model::MessageId message;
    const model::EdgeData& data;
    std::vector<std::size_t> tested;  // fields
};

// A row of which only some values are chosen.
struct MessageValues::Draft {
    Row values;                // of the tested fields
    std::vector<bool> chosen;  // which of them are there
    expr::Environment known;   // what the sender knows, and the fields that are there
};

// A field without a value, as its position among the tested ones, and what it may carry.
struct MessageValues::FieldOptions {
    std::size_t position = 0;
    std::vector<Value> values;
};

base::Result<std::vector<MessageValues::Row>> MessageValues::rows(model::MessageId message,
                                                                  const model::EdgeData& data,
                                                                  const expr::Environment& environment,
                                                                  const Limits& limits) const {
    Sending sending{message, data, tested_fields(message)};
    std::vector<Row> result;
    std::vector<Draft> drafts;
    if (auto first = begun(sending, environment)) drafts.push_back(std::move(*first));
    while (!drafts.empty()) {
        Draft draft = std::move(drafts.back());
        drafts.pop_back();
        if (std::find(draft.chosen.begin(), draft.chosen.end(), false) == draft.chosen.end()) {
            result.push_back(std::move(draft.values));
        } else {
            auto field = next_field(sending, draft, limits.values);
            if (!field) return base::Fault{field.error()};
            for (auto option = field->values.rbegin(); option != field->values.rend(); ++option) {
                drafts.push_back(draft);
                choose(sending, drafts.back(), field->position, *option);
            }
        }
        if (result.size() + drafts.size() > limits.rows)
            return base::Fault{"too many combinations of messages and values"};
    }
    return result;
}

// With the fields that are given; nothing if one of these has no value.
std::optional<MessageValues::Draft> MessageValues::begun(const Sending& sending,
                                                         const expr::Environment& environment) const {
    std::size_t n = sending.tested.size();
    Draft draft{Row(n), std::vector<bool>(n), environment};
    for (const model::Argument& argument : sending.data.data)
        if (argument.bind) draft.known.clear(argument.bind);  // it gets a new value
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t f = sending.tested[i];
        if (!model::is_given(sending.data, f)) continue;
        auto value = model::given_value(specification_, sending.message, sending.data, f, environment);
        if (!value) return std::nullopt;
        choose(sending, draft, i, *value);
    }
    return draft;
}

void MessageValues::choose(const Sending& sending, Draft& draft, std::size_t i, const Value& value) const {
    draft.values[i] = value;
    draft.chosen[i] = true;
    for (const NamedCondition& c : conditions(sending, sending.tested[i]))
        if (c.value) draft.known.set(c.value, value);
}

// What the message and the protocol say of a field, each under its own name for it.
std::array<NamedCondition, 2> MessageValues::conditions(const Sending& sending, std::size_t f) const {
    const model::Message& message = specification_.messages[sending.message.index];
    const model::EdgeData& data = sending.data;
    return {
        NamedCondition{f < message.variables.size() ? message.variables[f] : expr::VarId(), message.where},
        NamedCondition{f < data.data.size() ? data.data[f].bind : expr::VarId(), data.where}};
}

// Open fields come last: the values of the others may leave them only few. There is a field left.
base::Result<MessageValues::FieldOptions> MessageValues::next_field(const Sending& sending,
                                                                    const Draft& draft,
                                                                    std::size_t most) const {
    for (bool open : {false, true})
        for (std::size_t i = 0; i < sending.tested.size(); ++i) {
            MessageField field{sending.message, sending.tested[i]};
            if (draft.chosen[i] || choice_.open.contains(field) != open) continue;
            if (!open) return FieldOptions{i, choice_.values.at(field)};
            auto few = values_within(pool_, fields(field.message)[field.field].type,
                                     conditions(sending, field.field), draft.known, most);
            if (!few) return base::Fault{choice_.open.at(field)};
            return FieldOptions{i, std::move(*few)};
        }
    TREATY_CHECK(false);
    return FieldOptions{};
}

bool MessageValues::fits(model::MessageId id, const model::EdgeData& data, const Row& row,
                         expr::Environment& environment) const {
    if (!model::carries(specification_, id, data, tested_fields(id), row, environment)) return false;
    assign(data, environment);
    return true;
}

void MessageValues::assign(const model::EdgeData& data, expr::Environment& environment) const {
    for (const model::Assignment& a : data.assignments) {
        if (!choice_.variables.contains(a.variable)) continue;
        auto result = expr::evaluate(pool_, a.value, environment);
        if (auto* value = std::get_if<Value>(&result))
            environment.set(a.variable, *value);
        else
            environment.clear(a.variable);
    }
}

std::string MessageValues::name(model::MessageId id, const Row& row) const {
    return model::print_message(specification_, id, tested_fields(id), row);
}

}  // namespace treaty::symbolic
