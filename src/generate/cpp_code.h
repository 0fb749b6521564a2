// Code in C++20: header files only, on runtime/treaty_runtime.hpp.
//
// PROTOCOL_messages.hpp has the messages as structs, and PROTOCOL_ROLE.hpp one class per state.
#pragma once

#include <optional>
#include <vector>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<std::vector<GeneratedFile>> generate_cpp(const RoleSource& source,
                                                       const std::vector<RoleCode>& roles,
                                                       base::Diagnostics& diagnostics);

}  // namespace treaty::generate
