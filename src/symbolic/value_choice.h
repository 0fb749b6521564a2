// Which values the fields of messages must be tried with, so that trying them decides for all values.
//
// What is looked at are the machines of all roles of one protocol (choreo/project.h), or the protocol itself.
// A field is one of:
// - untested: no guard, `where`, comparison with a known value or range depends on what it carries. One value
//   represents all.
// - small: its type and its message's condition leave few values (bool, enumerations, ranges, records and
//   optionals of these; short lists of these; few texts that match a pattern). All of them.
// - compared: its values are only handed on as they are, and they or their sizes are compared with constants.
//   Values between the same constants behave alike; so each constant and some values between neighbouring
//   ones are enough. How many depends on how often a receiver compares what it gets with what it knows: n
//   tests are shown to fail together with k values if k * (k + 1) / 2 > n.
// - open: anything else (computed with, or compared with each other, and too many to try). It can be decided
//   by trying only if each sender of it knows enough to leave few values (value_sets.h).
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
    // Of the fields that are tested and not open.
    std::map<MessageField, std::vector<expr::Value>> values;
    std::map<MessageField, std::string> open;  // and why
    std::set<expr::VarId> variables;           // those that a test depends on
    bool tested(MessageField field) const { return values.contains(field) || open.contains(field); }
};

// Adds to the specification's pool.
ValueChoice choose_values(const model::Specification& specification,
                          const std::vector<model::Machine>& machines, std::size_t max_values);

// The same for a protocol as a whole: all its conditions count, not only a role's. What is computed from
// values that the receiver does not know counts as tested too, if all of that can be tried.
ValueChoice choose_values(const model::Specification& specification, const model::Protocol& protocol,
                          std::size_t max_values);

}  // namespace treaty::symbolic
