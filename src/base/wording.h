// Small words of messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace treaty::base {

// "1 state", "2 states".
std::string counted(std::uint64_t n, std::string_view what);

}  // namespace treaty::base
