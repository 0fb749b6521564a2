// The shortest conversation with the smallest data that still fails, found by trying it on the component.
//
// First whole sessions and roles are left out, then what lies between two equal places in the protocol
// (loops), then messages to the component, many at a time and one by one; then their data is made simpler:
// numbers towards zero, texts and lists towards the empty one, and where later messages carry the same value
// they change with it, so that what depends on each other stays so. A candidate counts if it is the same
// finding, of the same cause (outcome.h): it never slips to another bug. What the protocol forbids is not
// tried (plausible.h); only where that depends on what the component says is it seen later, before the
// forbidden message is sent. Bounded by tries, time and the user's interrupt; what was found until then is
// the result. Last, the result is tried again, each time with a component that has seen nothing yet, to tell
// a fixed failure from a flaky one; of a flaky one each candidate is then tried as often as it takes to see
// it again. Where a component is kept and fails only for what earlier sessions have left behind, those belong
// to the run.
#pragma once

#include <cstdint>

#include "base/limits.h"
#include "drive/tester.h"

namespace treaty::drive {

struct ShrinkLimits {
    std::size_t tries = 400;
    base::Deadline deadline;
    std::size_t repeats = 3;
};

struct Shrunk {
    Outcome outcome;  // the smallest that failed
    std::size_t tries = 0;
    std::size_t given_up = 0;  // tries in which the component's own answers made the next message forbidden
    std::size_t repeated = 0;  // how often it was tried again
    std::size_t failed = 0;    // and failed again
    std::string gone;          // why it could not be tried any more: there is no component
};

Shrunk shrink_run(Tester& tester, Outcome failing, const ShrinkLimits& limits);

// Values that are simpler, the simplest first.
std::vector<expr::Value> simpler(const expr::Value& value);

}  // namespace treaty::drive
