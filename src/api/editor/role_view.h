// What a role has to do, from a step of its protocol on or as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/context.h"
#include "api/workspace.h"
#include "model/machine.h"

namespace treaty::api {

struct RoleViewQuestion {
    std::string file, protocol, role;
    std::uint32_t offset = 0;  // in bytes; a step of the role that holds it is where the view begins
};

struct RoleView {
    std::optional<model::Machine> machine;  // none if the protocol cannot be projected
    // Whether it begins at the step; else it is the whole part of the role. Inside of parallel parts and of
    // what can be interrupted it is the whole: there a step is not all that the role is about to do.
    bool from_here = false;
};

RoleView role_view(const Workspace& workspace, const RoleViewQuestion& question, const Context& context);

}  // namespace treaty::api
