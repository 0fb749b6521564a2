// The parts of Python code that no state has: messages, types, functions and patterns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generate/code_writer.h"

namespace treaty::generate {

std::optional<GeneratedFile> python_messages(const RoleSource& source, base::Diagnostics& diagnostics);

std::string python_patterns(const PatternTable& patterns);

// A text between triple quotes, of several lines; indent: of the lines after the first.
std::string python_docstring(const std::vector<std::string>& lines, std::string_view indent);

}  // namespace treaty::generate
