#include "drive/tester.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

// What happened in a session behind another one.
Outcome joined(const Outcome& before, Outcome after) {
    auto first = std::find_if(after.exchanges.begin(), after.exchanges.end(),
                              [](const Exchange& e) { return e.to_component; });
    if (first != after.exchanges.end()) first->opens_session = true;
    if (after.answers) *after.answers += before.exchanges.size();
    after.exchanges.insert(after.exchanges.begin(), before.exchanges.begin(), before.exchanges.end());
    after.challenge = before.challenge;
    if (after.verdict == Verdict::fail && !before.challenge.empty())
        after.reason = fmt::format("in the session after {}: {}", before.challenge, after.reason);
    return after;
}

}  // namespace

Outcome Tester::challenge(std::uint64_t seed) {
    Outcome outcome = Conversation(*part_, *stage_, manners_).challenge(seed);
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
        Outcome outcome = Conversation(*part_, *stage_, manners_).replay(part);
        so_far = first ? std::move(outcome) : joined(so_far, std::move(outcome));
        first = false;
        if (so_far.verdict != Verdict::pass) break;
    }
    return so_far;
}

}  // namespace treaty::drive
