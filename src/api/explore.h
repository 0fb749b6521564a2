// explore: can machines over channels get into a bad situation, and do the roles of a protocol do only what
// it allows?
//
// All configurations that can be reached are visited (explore/judge_safety.h); where a channel can grow for
// ever, as many as are as good as all. For a protocol that is safe, the words of the system are compared with
// those of the protocol (verify/protocol_safety.h). Where conditions decide, a run that was found without
// data is believed only if there are values that allow it: then all values are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "explore/safety.h"
#include "model/system.h"

namespace treaty::api {

struct ExploreQuestion {
    std::string file;
    std::string protocol;              // empty: the last one of the file
    std::vector<std::string> replace;  // ROLE=FILE: the role's machine from this file instead
    std::optional<model::Mode> mode;   // none: that of the file, or first-in first-out queues
    std::optional<std::uint32_t> bound;
    bool reduce = true;     // leave out interleavings that show nothing new
    bool compress = false;  // slower, with a third of the memory
};

struct UnsafeFound {
    explore::UnsafeKind kind;
    bool shortest = false;
    model::Run witness;  // its ending names the fault
};

struct ExploreAnswer : Answer {
    std::string protocol;  // empty: the file holds machines
    std::uint64_t states = 0, transitions = 0;
    std::uint32_t depth = 0;
    std::uint64_t bytes = 0;
    bool complete = false, reduced = false;
    std::vector<UnsafeFound> unsafe;
    std::optional<model::Run> growth;  // a channel that can grow for ever, which is not a fault
    std::optional<std::uint32_t>
        exact_bound;               // the capacity that shows everything that can happen nevertheless
    bool compared = false;         // with the words of the protocol
    std::optional<bool> realizes;  // whether every run is one of the protocol; none: not known
    std::string realizes_reason;   // why it is not known
};

ExploreAnswer explore(const Workspace& workspace, const ExploreQuestion& question, const Context& context);

}  // namespace treaty::api
