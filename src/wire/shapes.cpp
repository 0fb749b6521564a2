#include "wire/shapes.h"

namespace treaty::wire {

std::vector<MessageShape> message_shapes(const model::Specification& specification) {
    std::vector<MessageShape> shapes;
    for (std::size_t i = 0; i < specification.alphabet->message_count(); ++i) {
        MessageShape shape;
        shape.name = specification.names->intern(specification.alphabet->name(model::MessageId(i)));
        if (i < specification.messages.size()) {
            const model::Message& m = specification.messages[i];
            shape.fields = m.fields;
            shape.parameters = m.variables;
            shape.where = m.where;
        }
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

std::vector<MessageRules> message_rules(const model::Specification& specification) {
    std::vector<MessageRules> rules;
    for (std::uint32_t i = 0; i < specification.alphabet->message_count(); ++i) {
        rules.push_back({i, {}, {}, {}});
        if (i >= specification.messages.size()) continue;
        const model::Message& m = specification.messages[i];
        rules.back() = {i, m.fields, m.variables, m.where};
    }
    return rules;
}

}  // namespace treaty::wire
