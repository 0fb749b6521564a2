// Specification: everything one file declares, resolved. It owns the tables its parts share.
//
// Messages of the alphabet and `messages` have the same positions. Protocols, wires and properties refer to
// one another by position. Movable; copied only by copy(), which costs the size of its tables.
//
// One that is shared (api/workspace.h) is never changed: engines add names, labels and expressions to the
// tables, so a caller of an engine works on its own copy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/source.h"
#include "expr/pool.h"
#include "model/alphabet.h"
#include "model/property.h"
#include "model/protocol.h"
#include "model/wire.h"

namespace treaty::model {

struct Message {
    base::Span span;  // of its declaration, or of its first use if it has none
    bool declared = false;
    std::vector<expr::Field> fields;
    std::vector<expr::VarId> variables;  // one per field, for `where`
    expr::ExprId where;                  // none means true
};

struct Specification {
    Specification();
    Specification(Specification&&) = default;
    Specification& operator=(Specification&&) = default;

    std::shared_ptr<base::Names> names;
    std::shared_ptr<expr::Types> types;
    std::shared_ptr<expr::Pool> pool;
    std::shared_ptr<Alphabet> alphabet;
    std::vector<Message> messages;          // by MessageId
    std::vector<expr::TypeId> named_types;  // enumerations and records, in order of declaration
    std::vector<Protocol> protocols;        // in order of declaration
    std::vector<Wire> wires;
    std::vector<Property> properties;

    // The same with tables of its own: all ids mean the same in both.
    Specification copy() const;

    const Message& message(MessageId id) const { return messages[id.index]; }
    const Protocol* find_protocol(std::string_view name) const;
    // The wire of that name, or without a name the last one; null if there is none.
    const Wire* find_wire(std::string_view name) const;
    // The protocol a command means when none is named: the last one, which may call the ones before it.
    const Protocol* main_protocol() const { return protocols.empty() ? nullptr : &protocols.back(); }
};

}  // namespace treaty::model
