// The process between the tester and the component: it starts the component and ends everything that came of
// it.
//
// Whatever happens to the tester, also when it is killed, its end of the control pipe closes; the keeper then
// ends the component, its children and their children, also those that left the process group, and removes
// the session's folder. That works because it adopts every orphan among them (a subreaper): every process
// that is left becomes its child sooner or later.
//
// Only for Component. The keeper is a fork without exec: after the fork it only makes system calls.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace treaty::process {

// What the tester asks through the control pipe, one byte each.
enum class KeeperOrder : char { ask_to_end = 'T', end_all = 'K' };

// What the keeper reports through the status pipe.
struct KeeperWord {
    enum Kind : std::uint32_t { ended, all_gone } kind;
    std::int32_t status;  // of the component, as from wait()
};

struct KeeperTask {
    const char* command;  // for /bin/sh
    char* const* environment;
    const char* directory;  // where the component runs; null: where the tester does
    const char* folder;     // removed if the tester is gone; null: none
    int in, out, error;     // of the component
    int control, status;    // the keeper's ends
};

// Starts both; gives the keeper's process, or -1.
pid_t start_keeper(const KeeperTask& task);

}  // namespace treaty::process
