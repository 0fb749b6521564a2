// The shortest conversation with the smallest data that still fails, found by trying it on the component.
//
// First whole sessions and roles are left out, then what is between two equal positions in the protocol
// (loops), then messages to the component, many at a time and one by one. Then their data is made simpler:
// numbers towards zero, texts and lists towards the empty one; later messages with the same value change with
// it, so that dependent values stay consistent. Where a message is left out and later ones have data that is
// then no longer allowed (a sequence number, a length), that data is made anew, as near to the old one as the
// protocol allows. What two messages have together is also given to one of them, and a value is replaced by a
// simpler one that came before. A candidate counts if it is the same finding, with the same cause
// (session_result.h), so shrinking never moves to another bug. A candidate that the protocol forbids is not
// tried (plausible.h), unless that depends on the component's answers; then it is noticed before the
// forbidden message is sent. Bounded by tries, time and the user's interrupt; the best so far is the result.
// Finally the result is repeated, each time with a new component, to tell a certain failure from a flaky one;
// each candidate of a flaky failure is tried as often as it takes to see it again. If a component is kept and
// fails only because of earlier sessions, those belong to the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/limits.h"
#include "drive/tester.h"
#include "expr/value.h"

namespace treaty::campaign {

struct ShrinkLimits {
    std::size_t tries = 400;
    base::Deadline deadline;  // of all of it, repeats included
    // Of the tries; where runs take long, or the machine is busy, as long as this many of the slowest take.
    // None: only the deadline counts.
    std::optional<std::chrono::nanoseconds> time;
    static constexpr int runs_in_time = 60;
    std::size_t repeats = 3;
    // Called before each try, with the number of tries and the messages of the smallest run so far; may be
    // empty.
    std::function<void(std::size_t tries, std::size_t messages)> progress;
};

struct Shrunk {
    drive::SessionResult outcome;  // the smallest that failed
    std::size_t tries = 0;
    std::size_t given_up = 0;  // tries in which the component's own answers made the next message forbidden
    std::size_t repeated = 0;  // how often the result was repeated
    std::size_t failed = 0;    // and failed again
    std::string gone;          // why it could not be tried any more: the component is gone
};

Shrunk shrink_run(drive::Tester& tester, drive::SessionResult failing, const ShrinkLimits& limits);

// Values that are simpler, the simplest first.
std::vector<expr::Value> simpler(const expr::Value& value);

}  // namespace treaty::campaign
