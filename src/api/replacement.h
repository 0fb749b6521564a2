// A system in which some roles' machines come from other files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "model/system.h"

namespace treaty::api {

// Each replacement is ROLE=FILE. The machine is the file's machine of that role, or its only one; its events
// are in the system's alphabet. Faults are reported and give nothing.
std::optional<model::System> replace_machines(const Inquiry& inquiry, const model::System& system,
                                              const std::vector<std::string>& replacements);

}  // namespace treaty::api
