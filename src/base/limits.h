// Bounds on long work: time, memory, and the user's interrupt. Reaching one is an outcome, not an error.
//
// A Deadline is cheap to ask (one clock read); hot loops ask every few thousand steps. The interrupt
// flag is set by the signal handler that the command line installs, and may be set by tests.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace treaty::base {

enum class StopReason : std::uint8_t { none, time, states, memory, interrupted };

std::string_view to_string(StopReason reason);

class Deadline {
public:
    Deadline() = default;  // never
    static Deadline after(std::chrono::nanoseconds duration);
    // By what the calling thread computes, so that a busy machine changes no answer. Only it may ask.
    static Deadline after_work(std::chrono::nanoseconds duration);

    bool passed() const;

private:
    std::optional<std::chrono::nanoseconds> at_;
    bool work_ = false;
};

// Set by SIGINT and SIGTERM; asked by everything that runs long.
std::atomic<bool>& interrupt_flag();

// "250ms", "3s", "5m", "2h" or a plain number of seconds.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// "64k", "512M", "2G" or a plain number of bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace treaty::base
