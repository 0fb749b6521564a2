// A line of progress on a terminal, rewritten in place.
//
// On anything but a terminal it prints nothing. Written at most ten times a second, so callers may report
// as often as they like; the line is erased when the Progress ends. Safe to call from several threads.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "api/progress.h"

namespace treaty::report {

class Progress {
public:
    using Clock = std::function<std::chrono::steady_clock::time_point()>;

    // Shows on `stream` if `enabled` (the caller knows whether it is a terminal).
    Progress(std::FILE* stream, bool enabled, Clock clock = std::chrono::steady_clock::now);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Calls `line` only when it is time to show one.
    void update(const std::function<std::string()>& line);
    void clear();

private:
    static constexpr std::chrono::milliseconds interval{100};
    // Quick work shows nothing at all.
    static constexpr std::chrono::milliseconds first_after{300};

    std::FILE* stream_;
    bool enabled_;
    Clock clock_;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point next_;
    bool shown_ = false;
};

// How far the work is, in one line.
std::string progress_line(const api::Progress& progress);

// 1234567 as "1.23 M", for counts that change while one looks at them.
std::string short_count(double count);

}  // namespace treaty::report
