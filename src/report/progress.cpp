#include "report/progress.h"

#include <fmt/format.h>

#include "base/utf8.h"

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
    fmt::print(stream_, "\r\x1b[K{}", base::shorten(line(), 79));
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

std::string progress_line(const api::Progress& progress) {
    if (auto* p = std::get_if<api::SearchProgress>(&progress))
        return fmt::format("{}: {} states, {}/s, {} waiting, depth {}, {} MB", p->doing,
                           short_count(static_cast<double>(p->states)), short_count(p->states_per_second),
                           short_count(static_cast<double>(p->waiting)), p->depth, p->bytes >> 20);
    if (auto* p = std::get_if<api::CampaignProgress>(&progress))
        return fmt::format("session {} of {}, {} messages, {} of {} steps, {} failed", p->session,
                           p->sessions, p->messages, p->covered, p->steps, p->failed);
    if (auto* p = std::get_if<api::WatchProgress>(&progress))
        return fmt::format(
            "{} messages, {:.0f}/s, {} live, {} ended, {} failed, {} garbled, {} bytes to read", p->messages,
            p->messages_per_second, p->live, p->ended, p->failed, p->garbled, p->unread);
    const auto& p = std::get<api::CountProgress>(progress);
    std::string of = p.total > 0 ? fmt::format(" of {}", p.total) : "";
    return fmt::format("{}: {}{}{}{}", p.doing, p.done, of, p.detail.empty() ? "" : ", ", p.detail);
}

}  // namespace treaty::report
