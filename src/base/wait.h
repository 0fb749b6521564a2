// Waiting for a few file descriptors once, without a loop: pipes of a program that is started, the terminal.
//
// Connections wait on a loop (net/loop.h). A WaitSet is filled, waited on and asked. Cost: one system call
// per wait.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <vector>

namespace treaty::base {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

class WaitSet {
public:
    // Gives the place by which to ask afterwards. A descriptor of -1 takes a place, and nothing ever happens
    // there.
    std::size_t add(int fd, bool read, bool write = false);
    // Until something happens at one of them, the time has come, or a signal arrives; whether something
    // happened.
    bool wait(Time until);

    bool happened(std::size_t at) const { return polled_[at].revents != 0; }

private:
    std::vector<pollfd> polled_;
};

// One descriptor; whether there is something to read, or its end.
bool wait_readable(int fd, Time until);
bool hung_up(int fd);          // closed by the other side in both directions, or broken; does not wait
void pause_until(Time until);  // at least a millisecond

}  // namespace treaty::base
