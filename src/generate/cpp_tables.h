// The parts of C++ code that no state has: messages, types, functions and patterns.
#pragma once

#include <optional>
#include <string>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<GeneratedFile> cpp_messages(const RoleSource& source, base::Diagnostics& diagnostics);

std::string cpp_patterns(const PatternTable& patterns);

}  // namespace treaty::generate
