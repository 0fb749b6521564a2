// `treaty project --smart`: the interactions a protocol lacks, and the protocol with them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/inputs.h"
#include "cli/session.h"
#include "model/machine.h"
#include "symbolic/graph.h"

namespace treaty::cli {

// The mended protocol is in the input; or, where its additions have no single place in the text, it is a
// graph.
struct Mended {
    std::optional<symbolic::Graph> graph;
};

// Adds to the result what is missing and what was added, and puts the mended protocol into the input in place
// of the one it mends. Nothing if the run is over: bad mode, or nothing could be found.
std::optional<Mended> add_interactions(Session& session, ProtocolInput& input, const std::string& mode);

// The part of a role in a mended protocol that is a graph.
std::optional<model::Machine> project_mended(Session& session, const Mended& mended,
                                             std::span<const model::RoleId> roles);

}  // namespace treaty::cli
