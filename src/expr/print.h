// Expressions as the language writes them, with only the parentheses that are needed: parsing what is
// printed gives the same expression.
//
// Never recurses. An expression that shares its parts can be astronomically long as text: what is longer than
// max_printed ends in "...".
#pragma once

#include <string>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"

namespace treaty::expr {

constexpr std::size_t max_printed = std::size_t{1} << 22;

// Names to print variables by, where they differ from their own.
using VariableNames = absl::flat_hash_map<VarId, std::string>;

std::string print(const Pool& pool, ExprId expression, const VariableNames& names = {});

}  // namespace treaty::expr
