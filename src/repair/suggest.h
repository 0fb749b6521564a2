// Additions that are likely to repair a problem, the most promising first. They give the search an order in
// which to try what is relevant (relevance.h); nothing depends on their being right.
#pragma once

#include <vector>

#include "repair/addition.h"
#include "symbolic/knowledge.h"

namespace treaty::repair {

// Knows who knows what as it was when it was made. The graph itself is read as it is, so that states which
// were left alone meanwhile can still be asked about.
class Advisor {
public:
    Advisor(const Draft& draft, symbolic::CommunicationMode mode);
    // Without ids and messages.
    std::vector<Addition> suggestions(const Problem& problem) const;

private:
    const model::SymbolicGraph& graph_;
    symbolic::CommunicationMode mode_;
    std::vector<model::RoleId> roles_;
    symbolic::Knowledge known_;
};

}  // namespace treaty::repair
