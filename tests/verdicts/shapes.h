// Conversations as people write them, with roles drawn at random: for generate.cpp.
#pragma once

#include "ast.h"
#include "generate.h"

namespace treaty::verdicts {

Block people_shape(Random& random, unsigned roles);

}  // namespace treaty::verdicts
