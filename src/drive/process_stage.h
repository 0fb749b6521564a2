// Sessions with a program: started by a command, or already running, and reached by addresses.
//
// The program is started again for each session, or once and kept; then a command may reset it before each
// session. Listening sockets are open before the program starts.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/limits.h"
#include "drive/companions.h"
#include "drive/stage.h"

namespace treaty::drive {

struct ProgramOptions {
    std::string command;                       // empty: it is already running
    std::map<model::RoleId, std::string> via;  // the address at which each played role reaches it
    std::string reset;           // run before each session of a component that is kept; empty: nothing
    bool keep = false;           // one component for all sessions
    bool http_messages = false;  // the wire describes whole HTTP messages: http:// carries them as they are
    base::Deadline deadline;
    // Called once, if the component cannot be reached at once: its address, and why not.
    std::function<void(const std::string&)> waiting = {};
    std::vector<Companion> beside = {};         // started before the component, and ended after it
    std::string ready = {};                     // what shows that the component is ready, as for a companion
    process::Surroundings surroundings = {};    // of the component, and of the command that resets it
    std::chrono::milliseconds startup{60'000};  // how long each of these may take
};

std::unique_ptr<Stage> make_process_stage(ProgramOptions options);

}  // namespace treaty::drive
