// Which values the fields of messages must be tried with, so that trying them decides for all values.
//
// What is looked at are the machines of all roles of one protocol (choreo/project.h). A field is one of:
// - untested: no guard, `where`, comparison with a known value or range depends on what it carries. One value
//   stands for all.
// - small: its type has few values (bool, enumerations, ranges, records and optionals of these; a string that
//   its message restricts with `x in [...]`). All of them.
// - compared: its values are only handed on as they are, and compared with constants. Values between the same
//   constants behave alike; so each constant and some values between neighbouring ones are enough. How many
//   depends on how often a receiver compares what it gets with what it knows: n tests are shown to fail
//   together with k values if k * (k + 1) / 2 > n.
// - anything else (computed with, or compared with each other, and too many to try) cannot be decided by
// trying.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/specification.h"

namespace treaty::symbolic {

struct MessageField {
    model::MessageId message;
    std::size_t field = 0;
    friend auto operator<=>(const MessageField&, const MessageField&) = default;
};

struct ValueChoice {
    std::map<MessageField, std::vector<expr::Value>>
        values;                       // of the fields that are tested, the smallest first
    std::set<expr::VarId> variables;  // those that a test depends on
    std::string reason;               // why trying cannot decide; empty if it can
    bool tested(MessageField field) const { return values.contains(field); }
};

ValueChoice choose_values(const model::Specification& specification,
                          const std::vector<model::Machine>& machines, std::size_t max_values);

// All values of a type in ascending order; nothing if they are more than the limit.
std::optional<std::vector<expr::Value>> all_values(expr::TypeId type, const expr::Types& types,
                                                   std::size_t limit);

}  // namespace treaty::symbolic
