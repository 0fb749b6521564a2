// A protocol of ast.h as the text of a .treaty file.
#pragma once

#include <string>

#include "ast.h"

namespace treaty::verdicts {

std::string print(const File& file);

}  // namespace treaty::verdicts
