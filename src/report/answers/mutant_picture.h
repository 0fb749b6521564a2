// The role's machine as a picture with the places of the mutants that no test killed.
#pragma once

#include <string>

#include "api/mutate.h"

namespace treaty::report {

// In DOT; the answer has a component. Red: a mutant of this transition or state survived, or was not decided;
// orange: it did, and nobody could tell; grey: it is correct, too. Under the transition which, and how many.
std::string draw_survivors(const api::MutateAnswer& answer);

}  // namespace treaty::report
