// Code in TypeScript: modules beside runtime/treaty_runtime.ts, which the compiler accepts with --strict.
//
// PROTOCOL_messages.ts has the messages as a discriminated union, and PROTOCOL_ROLE.ts one class per state.
#pragma once

#include <optional>
#include <vector>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<std::vector<GeneratedFile>> generate_typescript(const RoleSource& source,
                                                              const std::vector<RoleCode>& roles,
                                                              base::Diagnostics& diagnostics);

}  // namespace treaty::generate
