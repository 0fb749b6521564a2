// A machine told in another alphabet, so that it can run with machines that share that one.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "model/machine.h"

namespace treaty::testgen {

// Whose events they are: the role's own, or everybody else's with it (dual.h).
enum class Acting : std::uint8_t { own, others };

// As the machine of `role`; names of states stay. New messages and labels are added to the alphabet, new
// roles are not: a fault if the machine talks to a role that the alphabet does not have, acts for another
// role than it should, or has events that are not sends, receives or silent. It can follow "the machine ".
base::Result<model::Machine> translate(const model::Machine& machine, model::RoleId role,
                                       const std::shared_ptr<model::Alphabet>& alphabet,
                                       Acting acting = Acting::own);

}  // namespace treaty::testgen
