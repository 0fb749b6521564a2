// From the tokens of one Scribble or nuScr file to its tree. What has no counterpart (explicit connections,
// delegation, interruptible blocks, local protocols) is refused by name (T0711), what is not Scribble at all
// is T0710; reading goes on with the next statement.
#pragma once

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/scribble/tree.h"

namespace treaty::formats::scribble {

// Conditions go into the expression tables of `out`.
Module parse(const base::SourceMap& sources, base::FileId file, base::Names& names, lang::Syntax& out,
             base::Diagnostics& diagnostics);

}  // namespace treaty::formats::scribble
