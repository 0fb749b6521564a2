// Repeats a known failure: does it still fail?
//
// Passing once does not prove that it is fixed. A failure that came only sometimes is repeated as often as it
// takes to see it again with 99 % confidence, if it still comes as often as before. If the run may lack what
// made it fail, passing is not a verdict: not_repeatable.
#pragma once

#include <cstdint>

#include "drive/tester.h"

namespace treaty::campaign {

struct Retried {
    drive::SessionResult
        outcome;  // the first that failed, else the first that could not be judged, else the last
    std::size_t tries = 0;
};

// How often to repeat a run that failed `failed` of `tries` times.
std::size_t tries_needed(std::uint64_t failed, std::uint64_t repeated);

Retried retry(drive::Tester& tester, const drive::Rerun& run, std::size_t tries);

}  // namespace treaty::campaign
