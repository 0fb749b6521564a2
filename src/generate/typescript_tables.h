// The parts of TypeScript code that no state has: messages, types, functions and patterns.
#pragma once

#include <optional>
#include <string>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<GeneratedFile> typescript_messages(const RoleSource& source, base::Diagnostics& diagnostics);

std::string typescript_patterns(const PatternTable& patterns);

}  // namespace treaty::generate
