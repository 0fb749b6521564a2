// From a written protocol to a model::Protocol. Internal to lang/.
//
// Calls are expanded; a call in tail position to a protocol that is already open becomes a jump back to its
// start. Steps that could not be read or resolved become holes: empty nodes that later checks do not judge,
// so that one fault is one message.
#pragma once

#include <optional>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "lang/context.h"

namespace treaty::lang {

struct ResolvedProtocol {
    model::Protocol protocol;
    std::vector<model::NodeId> holes;  // sorted
    std::vector<bool> called;  // by node: whether it comes from a called protocol, which is judged for itself
    // Values that calls give. Who knows them depends on the call, so those of called protocols are judged
    // here, and the protocol's own are taken to be known.
    absl::flat_hash_set<expr::VarId> given, parameters;
};

// Nothing comes back if the protocol could not be built at all; that has been reported then.
std::optional<ResolvedProtocol> resolve_protocol(Context& context, std::uint32_t position);

}  // namespace treaty::lang
