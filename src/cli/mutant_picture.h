// The role's machine as a picture with the places of the mutants that no test killed.
#pragma once

#include <string>
#include <vector>

#include "testgen/mutation.h"

namespace treaty::cli {

// In DOT. Red: a mutant of this transition or state survived, or was not decided; orange: it did, and nobody
// could tell; grey: it is correct, too. Under the transition which, and how many. A change of the protocol is
// shown at the transitions of the step it is about, in all rounds. protocol: the unrolled one.
std::string draw_survivors(const model::Protocol& protocol, const model::Machine& machine,
                           const std::vector<testgen::Mutant>& mutants,
                           const std::vector<testgen::MutantVerdict>& verdicts);

}  // namespace treaty::cli
