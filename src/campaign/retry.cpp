#include "campaign/retry.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace treaty::campaign {

std::size_t tries_needed(std::uint64_t failed, std::uint64_t repeated) {
    constexpr std::size_t least = 3, most = 60;
    if (repeated == 0 || failed >= repeated) return least;
    // What never failed again when it was found is taken to fail half a time of so many.
    double rate = std::max(static_cast<double>(failed), 0.5) / static_cast<double>(repeated);
    double needed = std::ceil(std::log(0.01) / std::log(1 - rate));
    return static_cast<std::size_t>(std::clamp(needed, double{least}, double{most}));
}

Retried retry(drive::Tester& tester, const drive::Rerun& run, std::size_t tries) {
    Retried result;
    std::optional<drive::SessionResult> unjudged;
    while (result.tries < tries) {
        ++result.tries;
        tester.renew();
        result.outcome = tester.replay(run);
        if (result.outcome.verdict == drive::Verdict::fail) return result;
        if (result.outcome.verdict == drive::Verdict::pass) continue;
        drive::Problem problem = result.outcome.problem;
        if (!unjudged) unjudged = std::move(result.outcome);
        if (!can_be_tried_again(problem)) break;
    }
    if (unjudged) result.outcome = std::move(*unjudged);
    if (result.outcome.verdict == drive::Verdict::pass && !run.complete) {
        result.outcome.problem = drive::Problem::not_repeatable;
        result.outcome.verdict = verdict_of(drive::Problem::not_repeatable);
        result.outcome.reason = fmt::format(
            "passed {}, but the failure may depend on earlier sessions that are not part of the run",
            result.tries == 1 ? "once" : fmt::format("{} times", result.tries));
    }
    return result;
}

}  // namespace treaty::campaign
