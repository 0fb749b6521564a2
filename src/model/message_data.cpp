#include "model/message_data.h"

namespace treaty::model {

const std::vector<expr::Field>& fields_of(const Specification& specification, MessageId message) {
    static const std::vector<expr::Field> none;
    return message.index < specification.messages.size() ? specification.message(message).fields : none;
}

const EdgeData& data_of(const Machine& machine, StateId s, std::size_t i) {
    static const EdgeData none;
    return machine.has_data() ? machine.data(s, i) : none;
}

bool is_given(const EdgeData& data, std::size_t field) {
    return field < data.data.size() && data.data[field].value;
}

std::optional<expr::Value> given_value(const Specification& specification, MessageId message,
                                       const EdgeData& data, std::size_t field,
                                       const expr::Environment& variables) {
    auto result = expr::evaluate(*specification.pool, data.data[field].value, variables);
    auto* value = std::get_if<expr::Value>(&result);
    if (!value) return std::nullopt;
    return expr::convert(std::move(*value), fields_of(specification, message)[field].type,
                         *specification.types);
}

bool carries(const Specification& specification, MessageId message, const EdgeData& data,
             std::span<const std::size_t> fields, const std::vector<expr::Value>& values,
             expr::Environment& variables) {
    const expr::Pool& pool = *specification.pool;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        std::size_t f = fields[i];
        if (!belongs(values[i], fields_of(specification, message)[f].type, *specification.types))
            return false;
        if (is_given(data, f) && given_value(specification, message, data, f, variables) != values[i])
            return false;
    }
    expr::Environment own;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        std::size_t f = fields[i];
        const auto& names = specification.message(message).variables;
        if (f < names.size()) own.set(names[f], values[i]);
        if (f < data.data.size() && data.data[f].bind) variables.set(data.data[f].bind, values[i]);
    }
    bool declared = fields.empty() || !specification.message(message).where ||
                    satisfied(pool, specification.message(message).where, own);
    return declared && (!data.where || satisfied(pool, data.where, variables));
}

std::string print_message(const Specification& specification, MessageId message,
                          std::span<const std::size_t> fields, const std::vector<expr::Value>& values) {
    std::string text(specification.alphabet->name(message));
    if (fields.empty()) return text;
    const std::vector<expr::Field>& all = fields_of(specification, message);
    for (std::size_t f = 0, i = 0; f < all.size(); ++f) {
        bool there = i < fields.size() && fields[i] == f;
        text += f == 0 ? "(" : ", ";
        text += there ? print(values[i], all[f].type, *specification.types, *specification.names) : "_";
        i += there;
    }
    return text + ")";
}

}  // namespace treaty::model
