// Writing to a pipe whose reader may be gone, whatever the process does with SIGPIPE.
//
// Sockets are written with MSG_NOSIGNAL; pipes and files of the C library have no such flag. While a
// PipeSignalBlocked lives, a write of this thread to a pipe without a reader fails with EPIPE and nothing
// else happens: the signal is blocked, and the one that came of the write is taken away. One that was pending
// before stays. Other threads and the handlers of the process are left alone. Cost: about four system calls.
#pragma once

#include <csignal>

namespace treaty::base {

class PipeSignalBlocked {
public:
    PipeSignalBlocked();
    ~PipeSignalBlocked();
    PipeSignalBlocked(const PipeSignalBlocked&) = delete;
    PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

private:
    sigset_t before_;
    bool was_pending_;
};

}  // namespace treaty::base
