// A protocol without loops: every loop unrolled a number of times.
//
// A repeat or while becomes up to `times` rounds, one decision nested in the other, so that every number of
// rounds up to the bound is there and every choice is made anew in every round. A recursion may be continued
// `times` times each time it is entered; branches that would need to continue once more are left out. Where
// none could be left out (a while loop, a conditional, a recursion that never ends) the part ends early
// there and `truncated` is set. Otherwise the pomsets of the result are exactly those of the protocol with at
// most so many rounds of each loop.
//
// Nested loops multiply and what follows a `continue` inside a round is copied: the result is bounded by
// max_nodes and by the depth of protocols. Gives no protocol, and the reason, beyond that, and for a
// `continue` that leaves a parallel branch or an interruptible block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/protocol.h"

namespace treaty::choreo {

struct Unfolding {
    std::optional<model::Protocol> protocol;
    bool truncated = false;
    std::string reason;  // empty exactly if there is a protocol
    explicit operator bool() const { return protocol.has_value(); }
};

Unfolding unfold(const model::Protocol& protocol, std::uint32_t times, std::size_t max_nodes = 1'000'000);

}  // namespace treaty::choreo
