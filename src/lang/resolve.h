// From a syntax tree to what it means: the second half of lang::read, for readers of other notations that are
// close enough to be read into the same tree.
//
// Same contract as lang::read: every fault reported, a Specification only when there was none. The names of
// the tree are those of spec.names; its spans are places in `sources`.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/read.h"
#include "lang/syntax.h"
#include "model/specification.h"

namespace treaty::lang {

std::optional<model::Specification> resolve(const base::SourceMap& sources, const Syntax& syntax,
                                            model::Specification spec, base::Diagnostics& diagnostics,
                                            Knowing knowing = Knowing::demanded);

}  // namespace treaty::lang
