// The JSON that the protocol is made of.
#pragma once

#include <nlohmann/json.hpp>

namespace treaty::lsp {

using Json = nlohmann::json;

}  // namespace treaty::lsp
