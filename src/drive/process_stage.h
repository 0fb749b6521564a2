// Sessions with a program: started by a command, or running already, and reached by addresses.
//
// The program is started afresh for each session, or once and kept; then a command may put it back into its
// first state before each session. Listening sockets are there before the program is.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/limits.h"
#include "drive/stage.h"

namespace treaty::drive {

struct ProgramOptions {
    std::string command;                       // empty: it runs already
    std::map<model::RoleId, std::string> via;  // where each played role reaches it
    std::string reset;                         // run before each session of a kept one; empty: nothing
    bool keep = false;                         // one component for all sessions
    base::Deadline deadline;
    // Told once, when the component is not there at once: where it is looked for, and why it is not there.
    std::function<void(const std::string&)> waiting = {};
};

std::unique_ptr<Stage> make_process_stage(ProgramOptions options);

}  // namespace treaty::drive
