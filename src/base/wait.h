// Waiting for file descriptors: the one place where this process calls poll(2).
//
// A WaitSet is filled, waited on and asked; kept by its owner, it keeps its memory. Cost: one system call per
// wait.
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
    void clear() { polled_.clear(); }
    std::size_t size() const { return polled_.size(); }
    // Gives the place by which to ask afterwards. A descriptor of -1 takes a place, and nothing ever happens
    // there.
    std::size_t add(int fd, bool read, bool write = false);
    // Until something happens at one of them, the time has come, or a signal arrives; whether something
    // happened.
    bool wait(Time until);

    bool happened(std::size_t at) const { return polled_[at].revents != 0; }
    bool readable(std::size_t at) const { return (polled_[at].revents & POLLIN) != 0; }
    bool writable(std::size_t at) const { return (polled_[at].revents & POLLOUT) != 0; }
    // Closed by the other side in both directions, or broken.
    bool hung_up(std::size_t at) const { return (polled_[at].revents & (POLLHUP | POLLERR)) != 0; }

private:
    std::vector<pollfd> polled_;
};

// One descriptor; whether there is something to read, or its end.
bool wait_readable(int fd, Time until);
bool wait_writable(int fd, Time until);
void pause_until(Time until);  // at least a millisecond

}  // namespace treaty::base
