#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace treaty::cli {
namespace {

// The first signal asks to stop; another one at least a second later ends the program. Signals that come
// together count once: a terminal and a wrapper may both send it.
extern "C" void ask_to_stop(int number) {
    static volatile std::sig_atomic_t asked_at = 0;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    auto second = static_cast<std::sig_atomic_t>(now.tv_sec);
    if (interrupt().request() && second - asked_at > 1) _exit(128 + number);
    if (asked_at == 0) asked_at = second;
}

}  // namespace

const base::StopSource& interrupt() {
    static const base::StopSource source;
    return source;
}

void install_signal_handlers() {
    interrupt();  // made before a signal can ask for it
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is a failed write, not the end
}

}  // namespace treaty::cli
