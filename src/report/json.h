// The JSON that reports are made of: members keep the order in which they were added.
#pragma once

#include <nlohmann/json.hpp>

namespace treaty::report {

using Json = nlohmann::ordered_json;

}  // namespace treaty::report
