// Changes of a role's machine, told for its machine with data.
//
// The operators change one place of the machine without data. The machine with data is followed together with
// it, so each of its states is known to represent one state there, and the change is made wherever that place
// is passed. Conditions and data stay as they are. Another message takes the data of the step beside it that
// has the same message, if there is one; else, by position, what the old one had, where the types are the
// same; what is left is free. A step that must happen twice computes only once.
//
// Without data again it is the mutant that was given (a test compares them).
#pragma once

#include <optional>

#include "model/specification.h"
#include "testgen/mutants.h"

namespace treaty::testgen {

// original: the machine that was changed, deterministic; with_data: the same role's, with data.
std::optional<model::Machine> lift(const Mutant& mutant, const model::Machine& original,
                                   const model::Machine& with_data,
                                   const model::Specification& specification);

}  // namespace treaty::testgen
