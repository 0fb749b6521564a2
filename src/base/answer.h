// The four answers every question has, and the exit code each one means.
#pragma once

#include <cstdint>
#include <string_view>

namespace treaty::base {

enum class Answer : std::uint8_t { holds, fails, conditional, undecided };

std::string_view to_string(Answer answer);

// Exit codes of every verb. A condition is not an unconditional yes, so it exits like a no does.
enum class Exit : int { holds = 0, fails = 1, bad_input = 2, undecided = 3, world_failed = 4 };

Exit exit_of(Answer answer);

}  // namespace treaty::base
