// A protocol with data as a protocol without: each message together with its values is a message of its own,
// "m(3)", and conditions are gone, because they were evaluated.
//
// The protocol is followed from its beginning with the values of its variables, and every value that matters
// is tried (value_choice.h). What comes out allows exactly the conversations that the data allows, so the
// roles of the result know whatever can be concluded from what they have seen: a branch that no value allows
// belongs to nobody. A branch of a choice that cannot begin is left out. A `while` or a recursion that its
// data never lets end is a loop without an exit, and what follows it is beside it (docs/semantics.md).
//
// There is no result, but a fault with the reason, where values cannot be tried; where the data can leave
// all roles without a step before the end (check_data.h reports such steps); with interruption or semaphores;
// where segments of a par change variables that are read after them; and where the result would be too large.
//
// Cost: the places of the protocol times the values that are still needed there, and more where ways that
// have separated meet again with different values, for it is a tree; bounded by the limits.
#pragma once

#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::symbolic {

struct ExpandProtocolLimits {
    std::size_t values = 64;     // of one field
    std::size_t nodes = 20'000;  // of the result
    base::Deadline deadline;
};

struct ExpandedProtocol {
    // Its alphabet begins with that of the original, and its only protocol is the result.
    model::Specification specification;
    std::vector<model::NodeId> source;  // by node of the result: the node of the original

    const model::Protocol& protocol() const { return specification.protocols.front(); }
};

base::Result<ExpandedProtocol> expand_protocol(const model::Specification& specification,
                                               const model::Protocol& protocol,
                                               const ExpandProtocolLimits& limits = {});

}  // namespace treaty::symbolic
