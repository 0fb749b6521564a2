// Does a repaired protocol work? Its projected roles are composed and compared with it.
//
// `yes`: the composition conforms to the protocol as it was, the added interactions hidden. `with_additions`:
// it conforms to the repaired protocol, nothing hidden, but an added interaction makes a choice earlier than
// the protocol does, which hidden steps of a conforming one may not. That is so where no role has a part in
// all continuations: one has to tell the others what it decided before they do it.
#pragma once

#include <string>
#include <string_view>

#include "symbolic/conform.h"
#include "symbolic/smart.h"

namespace treaty::symbolic {

enum class Verified : std::uint8_t { yes, with_additions, no, undecided };

std::string_view describe(Verified verified);  // as a sentence about "the roles together"

struct Verification {
    Verified verified = Verified::undecided;
    std::string reason;  // when undecided
};

Verification verify(const SymbolicGraph& protocol, const SymbolicGraph& mended,
                    const GraphLimits& limits = {}, const solve::SolverContext& context = {});

// Whether roles that see only their own events can play the graph as it is.
bool realizable(const SymbolicGraph& graph, CommunicationMode mode, solve::Solver& solver,
                const base::Deadline& deadline = {});

}  // namespace treaty::symbolic
