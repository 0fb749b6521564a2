// Every kind of diagnostic of every folder, by number.
#pragma once

#include <span>
#include <string_view>

#include "base/diagnostic.h"

namespace treaty::cli {

// Ascending by number.
std::span<const base::Code> catalogue();

// The code that a user writes as "T0312", "t312" or "312"; null if there is none.
const base::Code* find_code(std::string_view text);

}  // namespace treaty::cli
