// From text to syntax tree, by recursive descent with a bounded depth and precedence climbing.
//
// Never gives up: after a fault it goes on at the next step or declaration, so all faults of a file are
// reported, one per step. The tree holds what could be read; callers that need a valid one check diagnostics.
// Cost: linear in the text.
#pragma once

#include "base/diagnostic.h"
#include "base/names.h"
#include "base/source.h"
#include "lang/syntax.h"

namespace treaty::lang {

Syntax parse(const base::SourceMap& sources, base::FileId file, base::Names& names,
             base::Diagnostics& diagnostics);

// The same, with what is read added to the tree of other files; the tree is then this file's.
Syntax parse_into(Syntax before, const base::SourceMap& sources, base::FileId file, base::Names& names,
                  base::Diagnostics& diagnostics);

}  // namespace treaty::lang
