// simulate: plays one role of a protocol, for a person or a program to talk to.
//
// What happens is reported as it happens; the answer follows when it is over (drive/player.h). It fails if a
// message came that the protocol does not allow, holds if the last conversation was completed, else it is
// undecided. The last conversation is the witness.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "drive/player.h"
#include "process/surroundings.h"

namespace treaty::api {

// Something that happened while the role is played.
struct SimulateNews {
    enum class Kind : std::uint8_t {
        meets,      // where another role is met: text is the address, other its name
        connected,  // the others are there
        sent,       // event
        received,   // event
        refused,    // text is the reason; event, if it was a message
        now,        // text is what the protocol allows now
        over,       // text is how the conversation ended
    } kind;
    std::string text = {}, other = {};
    std::optional<model::RunEvent> event = {};
};

struct SimulateQuestion {
    std::string file;
    std::string protocol;                  // empty: the last one of the file
    std::string role;                      // the one that is played
    std::string wire;                      // empty: the last one of the file, JSON if there is none
    std::string command;                   // starts the other side; empty: nothing is started
    process::Surroundings surroundings;    // of the command
    std::vector<std::string> via;          // ADDRESS or ROLE=ADDRESS: where the others are met
    std::uint64_t sessions = 1;            // one after the other; 0: until stopped
    std::chrono::milliseconds think{200};  // what the others are given before it sends
    std::chrono::milliseconds silence{0};  // ends when no role has sent anything for so long; 0: never
    std::function<void(const SimulateNews&)> tell;  // may be empty
};

struct SimulatedSession {
    drive::Played::End end = drive::Played::End::finished;
    std::size_t messages = 0, refused = 0;
};

struct SimulateAnswer : Answer {
    std::string role;
    std::optional<std::vector<SimulatedSession>> sessions;  // none: nothing was played
    std::size_t refused = 0;                                // in all of them
};

SimulateAnswer simulate(const Workspace& workspace, const SimulateQuestion& question, const Context& context);

}  // namespace treaty::api
