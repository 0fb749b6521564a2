#include "model/specification.h"

namespace treaty::model {

Specification::Specification()
    : names(std::make_shared<base::Names>()),
      types(std::make_shared<expr::Types>()),
      pool(std::make_shared<expr::Pool>(types, names)),
      alphabet(std::make_shared<Alphabet>()) {}

Specification Specification::copy() const {
    Specification result;
    result.names = std::make_shared<base::Names>(*names);
    result.types = std::make_shared<expr::Types>(*types);
    result.pool = std::make_shared<expr::Pool>(*pool, result.types, result.names);
    result.alphabet = std::make_shared<Alphabet>(*alphabet);
    result.messages = messages;
    result.named_types = named_types;
    result.protocols = protocols;
    result.wires = wires;
    result.properties = properties;
    return result;
}

const Protocol* Specification::find_protocol(std::string_view name) const {
    for (const Protocol& p : protocols)
        if (p.name() == name) return &p;
    return nullptr;
}

const Wire* Specification::find_wire(std::string_view name) const {
    const Wire* found = nullptr;
    for (const Wire& w : wires)
        if (name.empty() || names->text(w.name) == name) found = &w;
    return found;
}

bool has_data(const Specification& specification, const Protocol& protocol) {
    if (protocol.has_data()) return true;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const Node& node = protocol[NodeId(i)];
        if (node.kind == NodeKind::interaction && specification.message(node.message).where) return true;
    }
    return false;
}

}  // namespace treaty::model
