// For the tests of generated code: sessions of a protocol, event by event, and what each event is in the code
// of the roles that take part in it.
//
// Every event is a message that is sent and then received at once, so a program that follows a script needs
// one thread, and does the same each time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/role_code.h"
#include "step/walk.h"

namespace treaty::generated {

// One operation of one role.
struct Step {
    std::size_t role;  // in the list of roles
    const generate::StateCode* state;
    const generate::Operation* operation;
    std::size_t target;  // the state after it
    const step::Values* values;
    std::optional<step::Values> refused = {};  // of a message that is sent: data that is not allowed here
};

// How a role leaves the session.
enum class Leaving : std::uint8_t {
    drops,     // the state may simply be destroyed
    finishes,  // finish()
    is_ended,  // receive() gives Ended
    abandons,  // the session is cut here
};

struct Departure {
    std::size_t role;
    const generate::StateCode* state;
    Leaving how;
};

struct Script {
    bool ended = false;
    std::vector<step::Taken> events;
    std::vector<Step> steps;  // they point into `events`
    std::vector<Departure> departures;
};

// Sessions that together take as many different steps as possible. A fault, if the code of a role does not
// allow what the protocol allows: in *fault.
std::vector<Script> scripts_of(const generate::RoleSource& source,
                               const std::vector<generate::RoleCode>& roles, std::uint64_t seed,
                               std::string& fault);

}  // namespace treaty::generated
