// The types of a CSPM script, inferred as FDR's type checker does: a script that FDR accepts is accepted, as
// far as its manual goes.
//
// Scripts are evaluated without types. So this only reports, and a script with type errors can still be run:
// it may never come to the place in question. All errors are reported; an expression that was reported agrees
// with every type. Definitions are generic where they can be, in groups that depend on each other;
// annotations are checked, and make a definition generic inside its own group.
//
// A script whose types nest too deeply, or take too much work, is not checked to its end: that is a warning.
// Cost: nearly linear for scripts that people write.
#pragma once

#include "base/diagnostic.h"
#include "csp/scopes.h"
#include "csp/syntax.h"

namespace treaty::csp {

// The script has been read without errors.
void check_types(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics);

}  // namespace treaty::csp
