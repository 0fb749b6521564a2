#include "drive/retry.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace treaty::drive {

std::size_t tries_needed(std::uint64_t failed, std::uint64_t repeated) {
    constexpr std::size_t least = 3, most = 60;
    if (repeated == 0 || failed >= repeated) return least;
    // What never failed again when it was found is taken to fail half a time of so many.
    double rate = std::max(static_cast<double>(failed), 0.5) / static_cast<double>(repeated);
    double needed = std::ceil(std::log(0.01) / std::log(1 - rate));
    return static_cast<std::size_t>(std::clamp(needed, double{least}, double{most}));
}

Retried retry(Tester& tester, std::span<const Exchange> exchanges, std::size_t tries) {
    Retried result;
    std::optional<Outcome> odd;
    while (result.tries < tries) {
        ++result.tries;
        tester.renew();
        result.outcome = tester.replay(exchanges);
        if (result.outcome.verdict == Verdict::fail) return result;
        if (result.outcome.verdict == Verdict::pass) continue;
        Problem problem = result.outcome.problem;
        if (!odd) odd = std::move(result.outcome);
        if (problem == Problem::did_not_start || problem == Problem::interrupted) break;
    }
    if (odd) result.outcome = std::move(*odd);
    return result;
}

}  // namespace treaty::drive
