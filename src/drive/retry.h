// A failure that is known is tried again: does it still fail?
//
// Once is not enough to call it fixed: a failure that came only now and then is tried as often as it takes to
// see it again with 99 % confidence, if it still comes as often as it did. Where the run may lack what made
// it fail, passing is no verdict: not_repeatable.
#pragma once

#include <cstdint>

#include "drive/tester.h"

namespace treaty::drive {

struct Retried {
    Outcome outcome;  // the first that failed, else the first that could not be judged, else the last
    std::size_t tries = 0;
};

// How often to try what failed so often of so many tries.
std::size_t tries_needed(std::uint64_t failed, std::uint64_t repeated);

Retried retry(Tester& tester, const Rerun& run, std::size_t tries);

}  // namespace treaty::drive
