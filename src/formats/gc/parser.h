// From the tokens of a .gc or .sgg text to its tree.
//
// Recursive descent, bounded by max_nesting; lists (`;`, `|`, `+`) are loops. Every fault is reported and
// parsing goes on after it; one fault causes one message. `do` is resolved here: a name means the nearest
// earlier definition in scope, and its arguments and its hole must fit.
#pragma once

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/gc/lexer.h"
#include "formats/gc/tree.h"
#include "model/protocol.h"

namespace treaty::formats::gc {

constexpr std::uint32_t max_nesting = model::Protocol::max_depth / 2;

Tree parse(const base::SourceMap& sources, base::FileId file, Dialect dialect,
           base::Diagnostics& diagnostics);

}  // namespace treaty::formats::gc
