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

// What happened in a session behind another one.
Outcome joined(const Outcome& before, Outcome after) {
    auto first = std::find_if(after.exchanges.begin(), after.exchanges.end(),
                              [](const Exchange& e) { return e.to_component; });
    if (first != after.exchanges.end()) first->opens_session = true;
    if (after.answers) *after.answers += before.exchanges.size();
    after.exchanges.insert(after.exchanges.begin(), before.exchanges.begin(), before.exchanges.end());
    after.challenge = before.challenge;
    // The sessions that are here now. One in which nothing was sent was never remembered.
    auto here = std::count_if(before.exchanges.begin(), before.exchanges.end(),
                              [](const Exchange& e) { return e.opens_session; });
    here += std::any_of(before.exchanges.begin(), before.exchanges.end(),
                        [](const Exchange& e) { return e.to_component; });
    for (; here > 0 && !after.before.empty(); --here) after.before.pop_back();
    if (after.verdict == Verdict::fail)
        after.reason = before.challenge.empty()
                           ? fmt::format("after another session with the same component: {}", after.reason)
                           : fmt::format("in the session after {}: {}", before.challenge, after.reason);
    return after;
}

}  // namespace

Outcome Tester::remembered(Outcome outcome) {
    if (!kept_) return outcome;
    if (stage_->fresh()) {
        history_.clear();
        history_weight_ = 0;
    }
    if (outcome.verdict == Verdict::fail) outcome.before.assign(history_.begin(), history_.end());
    std::vector<Exchange> sent;
    for (const Exchange& e : outcome.exchanges)
        if (e.to_component) sent.push_back(e);
    if (sent.empty()) return outcome;
    sent.front().opens_session = true;
    history_weight_ += weight(sent);
    history_.push_back(std::move(sent));
    while (history_.size() > most_remembered || history_weight_ > most_weight) {
        history_weight_ -= weight(history_.front());
        history_.pop_front();
    }
    return outcome;
}

Outcome Tester::challenge(std::uint64_t seed) {
    Outcome outcome = remembered(Conversation(*part_, *stage_, manners_).challenge(seed));
    if (!kept_ || outcome.challenge.empty() || outcome.verdict != Verdict::pass) return outcome;
    Outcome after = run(seed);
    if (after.verdict == Verdict::pass) return outcome;
    return joined(outcome, std::move(after));
}

Outcome Tester::replay(std::span<const Exchange> exchanges) {
    Outcome so_far;
    bool first = true;
    while (!exchanges.empty() || first) {
        auto next = exchanges.empty() ? exchanges.end()
                                      : std::find_if(exchanges.begin() + 1, exchanges.end(),
                                                     [](const Exchange& e) { return e.opens_session; });
        std::span<const Exchange> part(exchanges.begin(), next);
        exchanges = std::span<const Exchange>(next, exchanges.end());
        Outcome outcome = remembered(Conversation(*part_, *stage_, manners_).replay(part));
        so_far = first ? std::move(outcome) : joined(so_far, std::move(outcome));
        first = false;
        if (so_far.verdict != Verdict::pass) break;
    }
    return so_far;
}

}  // namespace treaty::drive
