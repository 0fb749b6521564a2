#include "base/wait.h"

#include <algorithm>
#include <cstdint>

namespace treaty::base {
namespace {

// Time as poll() takes it; an hour is as good as for ever, since every caller looks again.
int milliseconds_until(Time until) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace

std::size_t WaitSet::add(int fd, bool read, bool write) {
    auto what = static_cast<short>((read ? POLLIN : 0) | (write ? POLLOUT : 0));
    polled_.push_back({fd, what, 0});
    return polled_.size() - 1;
}

bool WaitSet::wait(Time until) {
    return poll(polled_.data(), polled_.size(), milliseconds_until(until)) > 0;
}

bool wait_readable(int fd, Time until) {
    pollfd polled{fd, POLLIN, 0};
    return poll(&polled, 1, milliseconds_until(until)) > 0;
}

bool hung_up(int fd) {
    pollfd polled{fd, 0, 0};
    return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

void pause_until(Time until) {
    poll(nullptr, 0, std::max(1, milliseconds_until(until)));
}

}  // namespace treaty::base
