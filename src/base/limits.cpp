#include "base/limits.h"

#include <time.h>

#include <charconv>
#include <cmath>

#include "base/decimal.h"

namespace treaty::base {
namespace {

struct Quantity {
    double amount;
    std::string_view unit;
};

std::optional<Quantity> split_quantity(std::string_view text) {
    double amount = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc() || !(amount >= 0) || !std::isfinite(amount)) return std::nullopt;
    return Quantity{amount, text.substr(static_cast<std::size_t>(rest - text.data()))};
}

std::chrono::nanoseconds now(bool of_work) {
    if (!of_work) return std::chrono::steady_clock::now().time_since_epoch();
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

}  // namespace

std::string_view to_string(StopReason reason) {
    switch (reason) {
        case StopReason::none: return "none";
        case StopReason::time: return "time limit";
        case StopReason::states: return "state limit";
        case StopReason::memory: return "memory limit";
        case StopReason::interrupted: return "interrupted";
    }
    return "";
}

Deadline Deadline::after(std::chrono::nanoseconds duration) {
    Deadline deadline;
    deadline.at_ = now(false) + duration;
    return deadline;
}

Deadline Deadline::after_work(std::chrono::nanoseconds duration) {
    Deadline deadline;
    deadline.work_ = now(true) + duration;
    return deadline;
}

Deadline Deadline::with(StopToken token) const {
    Deadline result = *this;
    result.token_ = std::move(token);
    return result;
}

Deadline Deadline::part(std::chrono::nanoseconds duration) const {
    Deadline result = *this;
    std::chrono::nanoseconds end = now(false) + duration;
    if (!at_ || end < *at_) result.at_ = end;
    return result;
}

Deadline Deadline::part_of_work(std::chrono::nanoseconds duration) const {
    Deadline result = *this;
    std::chrono::nanoseconds end = now(true) + duration;
    if (!work_ || end < *work_) result.work_ = end;
    return result;
}

StopReason Deadline::reason() const {
    if (token_.requested()) return StopReason::interrupted;
    bool late = (at_ && now(false) >= *at_) || (work_ && now(true) >= *work_);
    return late ? StopReason::time : StopReason::none;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    std::size_t size = decimal_prefix(text);
    if (size == 0 || text[0] == '-') return std::nullopt;
    std::string_view unit = text.substr(size);
    std::int64_t factor = unit.empty() || unit == "s" ? 1'000'000'000
                          : unit == "ms"              ? 1'000'000
                          : unit == "us"              ? 1'000
                          : unit == "m"               ? 60'000'000'000
                          : unit == "h"               ? 3'600'000'000'000
                                                      : 0;
    auto nanoseconds = factor == 0 ? std::nullopt : scaled_decimal(text.substr(0, size), factor);
    if (!nanoseconds) return std::nullopt;
    return std::chrono::nanoseconds(*nanoseconds);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    auto quantity = split_quantity(text);
    if (!quantity) return std::nullopt;
    double factor = 0;
    if (quantity->unit.empty())
        factor = 1;
    else if (quantity->unit == "k" || quantity->unit == "K")
        factor = 1024.0;
    else if (quantity->unit == "M")
        factor = 1024.0 * 1024;
    else if (quantity->unit == "G")
        factor = 1024.0 * 1024 * 1024;
    else
        return std::nullopt;
    double bytes = quantity->amount * factor;
    if (bytes > 9e18) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

}  // namespace treaty::base
