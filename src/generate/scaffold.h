// A first implementation of a role: a function for each state, which does something that the protocol allows
// there, and a loop that goes from state to state.
//
// It is written once and is not overwritten. When the protocol changes, the types beside it are
// written again, and what no longer fits does not compile.
#pragma once

#include <optional>

#include "generate/generated_code.h"

namespace treaty::generate {

std::optional<GeneratedFile> scaffold(const RoleSource& source, const RoleCode& role, Language language,
                                      base::Diagnostics& diagnostics);

}  // namespace treaty::generate
