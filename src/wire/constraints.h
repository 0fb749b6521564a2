// What a layout requires of the data of a message, as conditions, so that generated data can be encoded.
#pragma once

#include <span>
#include <vector>

#include "expr/pool.h"
#include "solve/generate.h"
#include "wire/codec.h"
#include "wire/number_pattern.h"

namespace treaty::wire {

// Conditions over `variables` (one per field of the message) that encoding needs: the patterns of text fields
// and what they say of numbers, the ranges of bit fields, sizes that are plain numbers, values that are
// computed. Not necessarily all it needs. For reading: those that hold of what is decoded.
std::vector<expr::ExprId> constraints(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                      const MessageShape& shape, std::span<const expr::VarId> variables,
                                      Side side = Side::writing);

// What every element of a list must satisfy by itself: what the round of a repetition requires of it, over
// the layout's own variables, and over http the form of a header.
std::vector<solve::ElementRule> element_rules(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                              std::span<const expr::VarId> variables,
                                              Side side = Side::writing);

}  // namespace treaty::wire
