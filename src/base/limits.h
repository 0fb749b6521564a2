// Bounds on long work: time, memory, and a request to stop. Reaching one is an outcome, not an error.
//
// A Deadline is cheap to ask (one clock read); hot loops ask every few thousand steps. Nothing here is
// process-wide: each piece of work has its own deadline and its own token, so two of them can run side by
// side and be stopped alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace treaty::base {

enum class StopReason : std::uint8_t { none, time, states, memory, interrupted };

std::string_view to_string(StopReason reason);

// Whether the work was asked to stop. Copies ask the same question; a token of no source is never
// asked.
class StopToken {
public:
    StopToken() = default;
    bool requested() const { return flag_ && flag_->load(std::memory_order_relaxed); }

private:
    friend class StopSource;
    explicit StopToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}
    std::shared_ptr<const std::atomic<bool>> flag_;
};

// Asks the work that has its token to stop. request() may be called from any thread and from a signal
// handler.
class StopSource {
public:
    StopSource() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    // Whether it had been asked before.
    bool request() const { return flag_->exchange(true); }
    bool requested() const { return flag_->load(std::memory_order_relaxed); }
    StopToken token() const { return StopToken(flag_); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

// When work must stop: at a time, when asked to, or never.
class Deadline {
public:
    Deadline() = default;  // never
    static Deadline after(std::chrono::nanoseconds duration);
    // By what the calling thread computes, so that a busy machine changes no answer. Only that thread may
    // ask.
    static Deadline after_work(std::chrono::nanoseconds duration);

    // The same time; stopped by this token, too.
    Deadline with(StopToken token) const;
    // The same token with a time of its own: for a part of the work. It does not end later than the whole.
    Deadline part(std::chrono::nanoseconds duration) const;
    Deadline part_of_work(std::chrono::nanoseconds duration) const;

    bool passed() const { return reason() != StopReason::none; }
    // none, time or interrupted; interrupted first.
    StopReason reason() const;
    bool interrupted() const { return token_.requested(); }

private:
    std::optional<std::chrono::nanoseconds> at_;    // of the clock on the wall
    std::optional<std::chrono::nanoseconds> work_;  // of the clock of this thread
    StopToken token_;
};

// "250ms", "3s", "5m", "2h" or a plain number of seconds.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// "64k", "512M", "2G" or a plain number of bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace treaty::base
