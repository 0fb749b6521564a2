#include "report/progress.h"

#include <fmt/format.h>

#include "report/utf8.h"

namespace treaty::report {

Progress::Progress(std::FILE* stream, bool enabled, Clock clock)
    : stream_(stream), enabled_(enabled), clock_(std::move(clock)), next_(clock_() + first_after) {}

Progress::~Progress() {
    clear();
}

void Progress::update(const std::function<std::string()>& line) {
    if (!enabled_) return;
    std::lock_guard lock(mutex_);
    auto now = clock_();
    if (now < next_) return;
    next_ = now + interval;
    fmt::print(stream_, "\r\x1b[K{}", shorten(line(), 79));
    std::fflush(stream_);
    shown_ = true;
}

void Progress::clear() {
    std::lock_guard lock(mutex_);
    if (!shown_) return;
    fmt::print(stream_, "\r\x1b[K");
    std::fflush(stream_);
    shown_ = false;
}

std::string short_count(double count) {
    if (count >= 1e9) return fmt::format("{:.2f} G", count / 1e9);
    if (count >= 1e6) return fmt::format("{:.2f} M", count / 1e6);
    if (count >= 1e4) return fmt::format("{:.1f} k", count / 1e3);
    return fmt::format("{:.0f}", count);
}

}  // namespace treaty::report
