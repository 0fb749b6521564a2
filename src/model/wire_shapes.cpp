#include "model/wire_shapes.h"

namespace treaty::model {

std::vector<wire::MessageShape> wire_shapes(const Specification& specification) {
    std::vector<wire::MessageShape> shapes;
    for (std::size_t i = 0; i < specification.alphabet->message_count(); ++i) {
        wire::MessageShape shape;
        shape.name = specification.names->intern(specification.alphabet->name(MessageId(i)));
        if (i < specification.messages.size()) {
            const Message& m = specification.messages[i];
            shape.fields = m.fields;
            shape.parameters = m.variables;
            shape.where = m.where;
        }
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

std::vector<wire::MessageRules> wire_rules(const Specification& specification) {
    std::vector<wire::MessageRules> rules;
    for (std::uint32_t i = 0; i < specification.alphabet->message_count(); ++i) {
        rules.push_back({i, {}, {}, {}});
        if (i >= specification.messages.size()) continue;
        const Message& m = specification.messages[i];
        rules.back() = {i, m.fields, m.variables, m.where};
    }
    return rules;
}

const wire::Wire* find_wire(const Specification& specification, std::string_view name) {
    const wire::Wire* found = nullptr;
    for (const wire::Wire& w : specification.wires)
        if (name.empty() || specification.names->text(w.name) == name) found = &w;
    return found;
}

}  // namespace treaty::model
