// Records of a log that a mapping could not explain: how many, and examples.
#pragma once

#include <string>
#include <vector>

#include "api/input/mappings.h"
#include "report/json.h"

namespace treaty::report {

Json to_json(const std::vector<api::UnknownKind>& unknown);
// A line for each kind; the others that were not understood, if any, are counted.
std::string print(const std::vector<api::UnknownKind>& unknown);

}  // namespace treaty::report
