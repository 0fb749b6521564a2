// A monitor for a role in C++: a class that is told what the role sends and receives, and says what is not
// allowed, with the line of the protocol.
//
// The code has a function per message, which switches on the state and the peer: so an event costs one jump,
// and what its conditions cost, however many states the role has.
#pragma once

#include <optional>

#include "generate/generated_code.h"

namespace treaty::generate {

std::optional<GeneratedFile> cpp_monitor(const RoleSource& source, const RoleCode& role,
                                         base::Diagnostics& diagnostics);

}  // namespace treaty::generate
