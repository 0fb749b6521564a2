// Systems that grow with a parameter, whose state counts are known: for benchmarks and exact tests.
//
// All have one fifo channel for each ordered pair of roles that talk, with the same bound.
//   pairs(k, bound)      k clients, each asking its own server again and again for ok or err
//   ring(n, tokens, bound)  n stations, the first ones holding a token each, passing tokens to the right
//   atm(k, bound)        k sessions of a customer, a cash machine and a bank, each ending
//   buyer(k, bound)      k sessions of two buyers and a seller who negotiate, each ending
//   pipe(n, bound, m)    a source of m sorts of messages, n - 1 stages that pass them on, a sink
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/system.h"

namespace treaty::explore {

model::System pairs_family(std::uint32_t k, std::uint32_t bound);
model::System ring_family(std::uint32_t n, std::uint32_t tokens, std::uint32_t bound);
model::System atm_family(std::uint32_t k, std::uint32_t bound);
model::System buyer_family(std::uint32_t k, std::uint32_t bound);
model::System pipe_family(std::uint32_t n, std::uint32_t bound, std::uint32_t messages);

// "pairs9", "ring14", "ring14r8", "atm4", "pipe3b4" and so on, with the parameters that such a name means in
// the table of expected counts; none if the name is unknown.
std::optional<model::System> named_family(std::string_view name);

}  // namespace treaty::explore
