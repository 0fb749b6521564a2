// The parts of a file in another notation than .treaty: protocols with their roles and messages, machines,
// places and transitions, definitions. Each is where its name first is in the text.
#pragma once

#include <string>
#include <vector>

#include "api/editor/navigate.h"
#include "api/workspace.h"

namespace treaty::api {

// Nothing for a file with faults.
std::vector<OutlineSymbol> notation_outline(const Workspace& workspace, const std::string& file);

}  // namespace treaty::api
