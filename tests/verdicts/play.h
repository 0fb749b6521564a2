// A component that plays one role by the slow projection, tested in this process; and logs of what all
// roles do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drive/session_result.h"
#include "model/specification.h"
#include "slow_decision.h"
#include "watch/monitor.h"

namespace treaty::verdicts {

// How the component of a session behaved, by its own account.
struct Session {
    drive::SessionResult outcome;
    bool fell_silent = false;  // it was to send something, without any other way on, and sent nothing more
    // What it was to send it had sent to the same role before: that may be taken for it, if it crossed what
    // came.
    bool said_before = false;
};

// Whether the role can come to an end from wherever it is: others would be tested for ever.
bool can_always_stop(const LocalMachine& machine);

// A component for `role` does its part, or, if `lazy`, goes on until it has to send for the `lazy`th time and
// then sends nothing any more. Only for protocols without data. Nothing if the product cannot test that role.
std::optional<Session> play(model::Specification& specification, const SlowJudge& judge, Role role,
                            unsigned lazy, std::uint64_t seed);

// What the monitor reports about the events as a log of one session: each role failed, complete, or open, and
// the whole.
std::string watched(const model::Specification& specification, const SlowJudge& judge,
                    const std::vector<Event>& log);

}  // namespace treaty::verdicts
