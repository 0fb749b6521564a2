// What code for one role consists of, whatever the language: its states, and what can be done in each.
//
// Made from the role's machine (choreo/project.h). Silent steps are gone: their conditions and computations
// are part of the operations after them. Conditions and updates read two kinds of variables: those of the
// role, with the values they had before the operation, and the fields of the message
// (model::Message::variables). So the order in which updates are written down does not matter.
//
// An operation is one message from or to one peer. It has several alternatives where the machine has several
// edges for it; at most one of them applies, unless they do the same. A solver looks for data for which
// several apply; if it finds none but cannot exclude it, the first one that applies is taken. What cannot be
// expressed like this is reported, and there is no RoleCode then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/machine.h"
#include "model/specification.h"

namespace treaty::generate {

// A line of the protocol.
struct Place {
    base::Span span;
    std::string file;  // without its folders
    std::uint32_t line = 0;
    std::string text;  // trimmed

    std::string reference() const;  // "shop.treaty:12", empty without a text
};

struct Condition {
    expr::ExprId condition;
    std::string text;  // as the protocol would write it
};

struct Update {
    expr::VarId variable;
    expr::ExprId value;
};

struct Alternative {
    Place place;
    std::vector<Condition> conditions;
    std::vector<Update> updates;
    std::size_t target = 0;
};

struct Operation {
    bool sends = false;
    model::RoleId peer;
    model::MessageId message;
    std::vector<Alternative> alternatives;

    std::vector<std::size_t> targets() const;  // distinct, in order
};

struct StateCode {
    std::string name;  // unique in the role, CamelCase
    std::vector<Operation> operations;
    // The role may be finished here if all conditions of one of these hold.
    std::vector<std::vector<Condition>> endings;

    bool may_end() const { return !endings.empty(); }
    bool is_done() const { return operations.empty(); }
    bool sends() const;
    bool receives() const;
};

struct RoleCode {
    model::RoleId role;
    std::vector<StateCode> states;       // the first is where the role begins
    std::vector<expr::VarId> variables;  // those that an expression reads, ascending
};

struct RoleSource {
    model::Specification& specification;  // expressions are added to its pool
    const model::Protocol& protocol;
    const base::SourceMap& sources;
    std::size_t max_states = 2000;
};

// Reports to diagnostics what has no code.
std::optional<RoleCode> make_role_code(const RoleSource& source, const model::Machine& machine,
                                       base::Diagnostics& diagnostics);

Place place_of(const base::SourceMap& sources, base::Span span);

}  // namespace treaty::generate
