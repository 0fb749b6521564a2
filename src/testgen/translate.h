// A machine told in another alphabet, so that it can run with machines that share that one.
#pragma once

#include <memory>
#include <optional>

#include "model/machine.h"

namespace treaty::testgen {

// As the machine of `role`; names of states stay. New messages and labels are added to the alphabet, new
// roles are not: nothing if the machine talks to a role that the alphabet does not have, acts for another
// role, or has events that are not sends, receives or silent.
std::optional<model::Machine> translate(const model::Machine& machine, model::RoleId role,
                                        const std::shared_ptr<model::Alphabet>& alphabet);

}  // namespace treaty::testgen
