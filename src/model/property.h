// Properties of traffic, as declared: what must or must not follow what, and within how many messages.
//
// A local property speaks of one role's traffic: each time all steps of `after` have matched in order, one of
// the `then` steps must (or, when forbidden, must not) follow within `within` messages of that role. A global
// one states that a set of local properties implies another set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "expr/pool.h"
#include "model/alphabet.h"

namespace treaty::model {

struct FieldPattern {
    std::uint32_t field = 0;  // of the message, by position
    expr::VarId bind;         // valid: gives the field's value a name
    expr::ExprId equals;      // otherwise: the value it must have
};

struct MessagePattern {
    base::Span span;
    RoleId from;
    RoleId to;
    MessageId message;
    std::vector<FieldPattern> fields;
    expr::ExprId where;  // none means true
};

struct Property {
    base::NameId name;
    base::Span span;
    bool global = false;
    // local
    RoleId at;
    std::vector<MessagePattern> after;
    std::vector<MessagePattern> then;
    bool forbid = false;
    std::uint32_t within = 1;     // messages
    std::int64_t within_ns = -1;  // or time; -1: none
    // global: positions of properties in the specification
    std::vector<std::uint32_t> premises;
    std::vector<std::uint32_t> conclusions;
    bool negated = false;
};

}  // namespace treaty::model
