// SIGPIPE is sent to the thread that writes, so blocking it in this thread is enough, and no other thread can
// take it.

#include "base/pipe_signal.h"

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace treaty::base {
namespace {

sigset_t only_pipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

bool pending() {
    sigset_t set;
    sigemptyset(&set);
    sigpending(&set);
    return sigismember(&set, SIGPIPE) == 1;
}

}  // namespace

PipeSignalBlocked::PipeSignalBlocked() : was_pending_(pending()) {
    sigset_t pipe = only_pipe();
    pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

PipeSignalBlocked::~PipeSignalBlocked() {
    int error = errno;  // of the write, which the caller has yet to ask for
    if (!was_pending_ && pending()) {
        sigset_t pipe = only_pipe();
        timespec now{};
        while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
}

}  // namespace treaty::base
