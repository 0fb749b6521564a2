// Who knows which value, for files without faults (model/knowledge.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/editor/explain.h"
#include "api/workspace.h"

namespace treaty::api {

// After each `let x = e`: who knows the value then.
std::vector<Hint> knowledge_hints(const Workspace& workspace, const std::string& file);

// The roles that know the value of this name at the step that holds the place, in the order of the protocol;
// none if that is not known.
std::vector<std::string> who_knows(const Workspace& workspace, const std::string& file, std::uint32_t offset,
                                   const std::string& name);

}  // namespace treaty::api
