// Code in Python 3.11: modules beside runtime/treaty_runtime.py, which a strict type checker accepts.
//
// PROTOCOL_messages.py has the messages as dataclasses, and PROTOCOL_ROLE.py one class per state.
#pragma once

#include <optional>
#include <vector>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<std::vector<GeneratedFile>> generate_python(const RoleSource& source,
                                                          const std::vector<RoleCode>& roles,
                                                          base::Diagnostics& diagnostics);

}  // namespace treaty::generate
