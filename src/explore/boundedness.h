// Can the channels of a system without a bound grow for ever? Two one-sided tests.
//
// weights_bound() looks for a weight of each channel such that no loop of any single machine sends more
// weight than it receives. Then the weight of all waiting messages can exceed its value at the start by no
// more than the machines' loop-free ways allow, so every channel stays bounded, in every mode. It never errs
// when it returns yes; a no proves nothing. Cost: one longest-path computation per machine and round.
//
// find_pump() looks on a run for two configurations with the same states of all machines between which the
// channels have only grown, in such a way that the steps between them can be taken again and again:
//   - bag: the later one holds at least the messages of the earlier one, and one more;
//   - queues: for each channel with content q, received word r and sent word s (|s| >= |r|, somewhere >):
//     r is empty or q s s s ... = r r r ..., which is exactly when the steps can be repeated for ever.
// What it finds is a proof that the channel is unbounded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explore/configuration.h"

namespace treaty::explore {

// machines: positions in the system.
bool weights_bound(const Semantics& semantics, std::span<const std::uint32_t> machines);

struct Pump {
    std::size_t begin = 0;  // run[begin, end) can be repeated for ever
    std::size_t end = 0;
    std::size_t channel = 0;  // and leaves more messages here each time
};

// The one that ends first, and of those the shortest. The run must be one of the system, which is not sync.
std::optional<Pump> find_pump(const Semantics& semantics, std::span<const Step> run);

}  // namespace treaty::explore
