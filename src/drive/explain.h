// What a failure may mean: asynchrony can leave several explanations (Klomp 2018, section 2.4), and a reply
// may be the one to the message before.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drive/session_result.h"
#include "roles/role_part.h"
#include "track/broken_condition.h"

namespace treaty::drive {

// The message of the component that came last is wrong. The position of the message to the component before
// the last one, if exactly what followed that one has come again, with data: it was sent twice, or the
// answers are late from here on.
std::optional<std::size_t> answered_again(const roles::RolePart& part, std::span<const Exchange> exchanges);

// Where the component itself may have been when it sent its last message, one sentence per position with what
// was expected of it there; only if there are several that differ, and where it was expected to send
// something.
std::vector<std::string> explanations(roles::RolePart& part, std::span<const Exchange> exchanges);

// "ok to A (line 4) or no to A (line 6)", in the order of the protocol.
std::string names_of(const roles::RolePart& part, std::span<const track::ExpectedOutput> outputs);

// "echo(text = \"\")"; long values are cut.
std::string print(const roles::RolePart& part, const Exchange& exchange);

// "500 ms", "20 s"
std::string print_duration(std::chrono::nanoseconds duration);

// What is wrong with the data of a message from the component, as the rest of a sentence:
// "; line 21 requires amount == n * 10 = 100". broken: what track::broken_conditions() has found.
std::string requirements(const roles::RolePart& part, std::span<const track::BrokenCondition> broken);
// The same for data that breaks the declaration of the message.
std::string declaration_broken_by(const roles::RolePart& part, const Exchange& exchange);

}  // namespace treaty::drive
