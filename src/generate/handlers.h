// A role as handlers, for programs with an event loop: a base class with one function for each message that
// the role receives, which the program overrides, and send(). The role's monitor (cpp_monitor.h) enforces the
// order.
#pragma once

#include <optional>

#include "generate/generated_code.h"

namespace treaty::generate {

std::optional<GeneratedFile> handlers(const RoleSource& source, const RoleCode& role, Language language,
                                      base::Diagnostics& diagnostics);

}  // namespace treaty::generate
