#include "drive/tester.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

// About how many bytes of memory a value takes.
std::size_t weight(const expr::Value& value) {
    if (const auto* text = std::get_if<std::string>(&value.v)) return sizeof value + text->size();
    if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) return sizeof value + bytes->data.size();
    std::size_t all = sizeof value;
    if (const auto* list = std::get_if<expr::Sequence>(&value.v))
        for (const expr::Value& item : list->items) all += weight(item);
    return all;
}

std::size_t weight(const std::vector<Exchange>& session) {
    std::size_t all = 0;
    for (const Exchange& e : session) {
        all += sizeof e;
        for (const expr::Value& value : e.values) all += weight(value);
    }
    return all;
}

// The result of a session that follows another one.
SessionResult joined(const SessionResult& before, SessionResult after) {
    for (Exchange& e : after.exchanges) e.session += before.sessions;
    for (auto& [position, e] : after.inner) {
        position += before.exchanges.size();
        e.session += before.sessions;
    }
    after.inner.insert(after.inner.begin(), before.inner.begin(), before.inner.end());
    after.sessions += before.sessions;
    if (after.answers) *after.answers += before.exchanges.size();
    after.exchanges.insert(after.exchanges.begin(), before.exchanges.begin(), before.exchanges.end());
    after.challenge = before.challenge;
    // The sessions that are here now.
    std::size_t here = before.sessions, remembered = std::min(here, after.before.size());
    after.before.resize(after.before.size() - remembered);
    after.forgotten -= std::min(after.forgotten, here - remembered);
    if (after.verdict == Verdict::fail)
        after.reason = before.challenge.empty()
                           ? fmt::format("after an earlier session with the same component: {}", after.reason)
                           : fmt::format("in the session after {}: {}", before.challenge, after.reason);
    return after;
}

}  // namespace

SessionResult Tester::remembered(SessionResult outcome) {
    if (!kept_) return outcome;
    if (stage_->fresh()) {
        history_.clear();
        history_weight_ = forgotten_ = 0;
    }
    if (outcome.verdict == Verdict::fail) {
        outcome.before.assign(history_.begin(), history_.end());
        outcome.forgotten = forgotten_;
    }
    // Also when nothing was sent: that there was a session may be what breaks it.
    std::vector<Exchange> sent;
    for (const Exchange& e : everything(outcome))
        if (e.to_component || e.from != part_->cut) sent.push_back(e);
    history_weight_ += weight(sent);
    history_.push_back(std::move(sent));
    while (history_.size() > most_remembered || history_weight_ > most_weight) {
        history_weight_ -= weight(history_.front());
        history_.pop_front();
        ++forgotten_;
    }
    return outcome;
}

SessionResult Tester::challenge(std::uint64_t seed) {
    SessionResult outcome = remembered(Conversation(*part_, *stage_, options_).challenge(seed));
    if (!kept_ || outcome.challenge.empty() || outcome.verdict != Verdict::pass) return outcome;
    SessionResult after = run(seed);
    if (after.verdict == Verdict::pass) return outcome;
    return joined(outcome, std::move(after));
}

SessionResult Tester::replay(const Rerun& run) {
    SessionResult so_far;
    auto next = run.exchanges.begin();
    for (std::uint32_t session = 0; session < run.sessions; ++session) {
        auto first = next;
        next =
            std::find_if(first, run.exchanges.end(), [&](const Exchange& e) { return e.session > session; });
        SessionResult outcome =
            remembered(Conversation(*part_, *stage_, options_).replay({first, next}, run.inner, run.adapt));
        so_far = session == 0 ? std::move(outcome) : joined(so_far, std::move(outcome));
        if (so_far.verdict != Verdict::pass) break;
    }
    return so_far;
}

}  // namespace treaty::drive
