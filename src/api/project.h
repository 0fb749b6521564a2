// project: what one role has to do, or several together, cut out of a protocol (choreo/project.h).
//
// The verdict: holds with a machine, and with the texts that were asked for; undecided if a limit was
// reached, or if the protocol cannot be written. What a notation cannot carry of a machine is reported as a
// warning, and left out.
#pragma once

#include <optional>
#include <string>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "model/machine.h"

namespace treaty::api {

struct ProjectQuestion {
    std::string file;
    std::string protocol;  // empty: the last one of the file
    std::string roles;     // one, or a group as "A,B"
    // As extensions of files. The machine is wanted as text, in "fsa", "json", "aut" or "dot"; and what it
    // was projected from, as in "treaty".
    std::optional<std::string> machine_notation, protocol_notation;
};

struct ProjectAnswer : Answer {
    std::string protocol, roles;
    std::optional<model::Machine> machine;
    std::optional<std::string> machine_text, protocol_text;
};

ProjectAnswer project(const Workspace& workspace, const ProjectQuestion& question, const Context& context);

}  // namespace treaty::api
