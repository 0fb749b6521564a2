// Small random systems from a seed, for tests and benchmarks.
//
// Machines have a few states; most messages that one can send another can receive somewhere, so that runs go
// on for a while before something goes wrong, or never does. The same seed and shape give the same system on
// every machine. Some have silent steps, messages to themselves or to a role without a machine, and separate
// groups; groups can be made to go on for ever, each independently of the others.
#pragma once

#include <cstdint>

#include "model/system.h"

namespace treaty::explore {

struct RandomShape {
    std::uint32_t machines = 3;
    std::uint32_t states = 3;  // at most, a machine
    std::uint32_t edges = 4;   // about, a machine
    std::uint32_t messages = 2;
    bool odd = true;  // silent steps, self-messages, missing machines
    std::uint32_t groups =
        0;                 // machines are dealt into so many that never talk to each other; 0: chance decides
    bool endless = false;  // each machine takes part in an exchange that can go on for ever, in a ring
};

model::System random_system(std::uint64_t seed, const RandomShape& shape, model::Channels channels);

}  // namespace treaty::explore
