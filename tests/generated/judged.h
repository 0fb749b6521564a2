// For the tests of generated monitors: events of one role, and whether `treaty watch` allows each of them
// after those that it has allowed before.
//
// They are the events of a session, with others put in between that are not allowed there: the same message
// with other data, the next message too early, or any other message that the role has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "script.h"

namespace treaty::generated {

struct JudgedEvent {
    bool sends = false;
    model::RoleId peer;
    model::MessageId message;
    step::Values values;
    bool allowed = true;
};

struct JudgedLog {
    std::size_t role;  // in the list of roles
    std::vector<JudgedEvent> events;
    bool may_end = false;  // after them, the role's part is over
};

// A log for each role and session. A fault, if the code of a role and watch disagree about an event.
std::vector<JudgedLog> judged_logs(const generate::RoleSource& source,
                                   const std::vector<generate::RoleCode>& roles,
                                   const std::vector<Script>& scripts, std::uint64_t seed,
                                   std::string& fault);

}  // namespace treaty::generated
