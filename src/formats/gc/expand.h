// From the tree of a .gc text to a protocol: definitions expanded, roles and messages resolved.
//
// Parameters can be roles and messages. Blocks become sequences, flattened; a multicast becomes one
// interaction for each receiver, in order; an omitted controller is the one role that sends first in every
// branch. Expansion is bounded by max_expansion steps inside definitions and by the depth of protocols:
// reaching a bound is a diagnostic. Nothing comes back if an error was reported.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "formats/gc/tree.h"
#include "model/specification.h"

namespace treaty::formats::gc {

constexpr std::size_t max_expansion = 1'000'000;

std::optional<model::Specification> expand(const Tree& tree, std::string protocol_name, base::Span whole,
                                           base::Diagnostics& diagnostics);

}  // namespace treaty::formats::gc
