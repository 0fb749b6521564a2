// Is what one role has to do the same in two versions of a protocol?
//
// Its two projections are compared: the events in their order, the fields of their messages, where the role
// may end, and which time limits its messages have. Without data this is exact, by refinement both ways
// (explore/refine/refine.h), and a run is a shortest one. Where data decides what happens, the projections
// are compared for all values (symbolic/conform.h), and a run has values.
#pragma once

#include <optional>
#include <string>

#include <absl/container/flat_hash_set.h>

#include "api/inquiry.h"
#include "model/protocol.h"
#include "model/run.h"
#include "model/specification.h"

namespace treaty::api {

// One version of a protocol.
struct PartVersion {
    const model::Specification& specification;
    const model::Protocol& protocol;
    std::string file;  // what a run calls it
    // Messages whose fields, or the types of these, differ between the versions.
    const absl::flat_hash_set<std::string>& changed_messages;
};

struct PartComparison {
    Verdict verdict = Verdict::holds;  // holds: the same; fails: changed; undecided
    std::string reason;                // one line, unless they are the same
    // What only one version allows the role. The ending of a run states it. If the parts differ,
    // there is at least one, except where only time limits do.
    std::optional<model::Run> only_before, only_after;
};

// "charge(amount: int)"
std::string signature_of(const model::Specification& specification, model::MessageId message);

// The role is one of both protocols.
PartComparison compare_parts(const Inquiry& inquiry, const PartVersion& before, const PartVersion& after,
                             const std::string& role);

}  // namespace treaty::api
