// CSPM text to its tree, by recursive descent; every fault is reported and reading goes on at the next
// declaration.
//
// Binding, tightest first: application and renaming; ^ and #; * / %; + -; comparisons; not; and; or; dots; ?
// and !; prefix and guard; ; [> /\ [] |~|; parallel, interleaving and exception; hiding; the replicated
// forms, if, let and lambda reach as far as they can. Nesting is limited, and so is the depth of
// the trees, to which rows of operands add: no text exhausts the stack.
//
// Three forms are read as others that mean the same: a definition by a pattern, (a, b) = e, defines each of
// its names; c$x:S -> P is an internal choice of x. A type after :: is kept for the type checker, readable or
// not. `include "file"` reads
// that file in its place, each file once, up to limits on how many there are and how large.
#pragma once

#include "base/diagnostic.h"
#include "csp/lexer.h"
#include "csp/syntax.h"

namespace treaty::csp {

// Fills `syntax` with what could be read; the diagnostics show whether that is all.
void parse(base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics, Syntax& syntax);

// One expression, as a user names a process on the command line; none if a fault was reported.
AstId parse_expression(base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics,
                       Syntax& syntax);

}  // namespace treaty::csp
