// Random protocols from a seed, for differential tests and benchmarks.
//
// The same specification state, shape and seed give the same protocol on every machine. Roles are named
// R0, R1, ... and messages m0, m1, ...; both are added to the specification's alphabet. The result is always
// well formed (model::ProtocolBuilder accepts it). With `announced` set, the decider of a choice or a loop
// tells every role that takes part, by a message of its own for each branch, so nearly all results are
// well-branched; `careless` percent of those announcements are left out, which makes hard cases.
#pragma once

#include <cstdint>

#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

struct RandomShape {
    std::uint32_t roles = 3;     // at least 2
    std::uint32_t messages = 4;  // names to draw from
    std::uint32_t steps = 8;     // interactions, about
    std::uint32_t depth = 3;     // of nesting
    std::uint32_t branches = 3;  // of a choice or a parallel block, at most
    bool choices = true;
    bool loops = true;       // repeat
    bool recursion = false;  // rec and continue
    bool parallel = true;
    bool interrupts = false;
    bool semaphores = false;
    bool announced = false;
    std::uint32_t careless = 0;      // percent
    bool separate_channels = false;  // parallel branches never use the same ordered pair of roles
};

model::Protocol random_protocol(model::Specification& specification, const RandomShape& shape,
                                std::uint64_t seed);

}  // namespace treaty::choreo
