// Aping (Klomp 2018, section 1.3, after Tretmans): whether a role may have run through `specified`, seen at
// the role itself, when an observer at the other end of two first-in first-out channels saw `observed`.
//
// The definition word for word, for traces without data over one channel each way. Cost: quadratic.
#pragma once

#include <span>

#include "model/alphabet.h"

namespace treaty::track {

// `subject` is the role; its receptions are the inputs, its sends the outputs.
bool apes(const model::Alphabet& alphabet, model::RoleId subject, std::span<const model::LabelId> specified,
          std::span<const model::LabelId> observed);

}  // namespace treaty::track
