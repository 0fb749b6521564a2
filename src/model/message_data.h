// Messages with values, as one edge of a machine with data sees them.
//
// `fields` are positions of fields of the message, ascending, and `values` has one value for each. Fields
// that are left out are not looked at: the caller knows that no condition needs them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "model/machine.h"
#include "model/specification.h"

namespace treaty::model {

// None for messages that were made after the specification was read.
const std::vector<expr::Field>& fields_of(const Specification& specification, MessageId message);

// Of the i-th edge of out(s); empty for machines without data.
const EdgeData& data_of(const Machine& machine, StateId s, std::size_t i);

// Whether the edge says what the field carries. given_value() is that value, in the field's type; nothing if
// it has none with these variables.
bool is_given(const EdgeData& data, std::size_t field);
std::optional<expr::Value> given_value(const Specification& specification, MessageId message,
                                       const EdgeData& data, std::size_t field,
                                       const expr::Environment& variables);

// Whether the edge allows the message to carry these values: they are of the fields' types, what is given is
// what they are, and the conditions of message and edge hold. Then the variables that they are bound to have
// them. The edge's guard is not asked and nothing is assigned.
bool carries(const Specification& specification, MessageId message, const EdgeData& data,
             std::span<const std::size_t> fields, const std::vector<expr::Value>& values,
             expr::Environment& variables);

// "m(3, _)", with _ for what is left out; "m" if that is everything.
std::string print_message(const Specification& specification, MessageId message,
                          std::span<const std::size_t> fields, const std::vector<expr::Value>& values);

}  // namespace treaty::model
