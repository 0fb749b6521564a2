// From the modules of a Scribble file to one syntax tree of the Treaty language.
//
// Each protocol becomes one protocol for each combination of type and signature arguments that it is called
// with; one that is never instantiated keeps its parameters, as types and messages of their own. Roles that a
// nested protocol makes are added to the roles of those who call it, one for each `new role`, however often
// it is called. A label that is used with several payloads becomes several messages. Loops get different
// names where one is inside another.
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "formats/scribble/tree.h"

namespace treaty::formats::scribble {

constexpr std::size_t max_instances = 2000;

// Adds the protocols of the first module, and what they call, to `out`. Returns the names of those that are
// only there to be called: aux and nested ones, those of other modules and instances.
std::vector<NameId> expand(std::span<const Module> modules, base::Names& names, lang::Syntax& out,
                           base::Diagnostics& diagnostics);

}  // namespace treaty::formats::scribble
