// Can the roles of a protocol, each doing its own part, get into a bad situation or do something that the
// protocol does not allow? This is the question that `check` answers, and `explore` for a protocol.
//
// What counts as bad (docs/semantics.md, "What can go wrong"): a deadlock, a message that is never received,
// a role that is handed what it has no step for, a role that waits for ever where it may not stop. A role may
// stop wherever the conversation can come to its end without another event of its own, or has none left for
// it. A `wait` that nothing serves any more stops the conversation too (choreo/unserved_wait.h).
//
// How it is decided, the first that answers:
//   exploration   all reachable configurations of the projections, without data;
//   bounded       the same with a capacity that is as good as none (explore/exhaustive_bound.h);
//   values        the same for the protocol with all values of its data (symbolic/expand_protocol.h);
//   condition     well-branchedness, which guarantees safety whatever the size (choreo/well_branched.h).
// The first three are exact: `fails` comes with a run that shows it. Where only the condition is left and
// does not hold, the answer is undecided. The condition does not cover interruptions and semaphores.
//
// Data: a protocol with data is always looked at with all values too, where they can be tried. Where they
// cannot, a condition counts as a choice (loops that some role waits for must be known to end,
// symbolic/loop_exits.h), and a run that was found without data is a fault only if nothing in
// it depends on data, or if the roles with all values that each may know (symbolic/expand_values.h) have such
// a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/answer.h"
#include "choreo/well_branched.h"
#include "explore/inclusion.h"
#include "explore/judge_safety.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::verify {

enum class Proof : std::uint8_t { none, exploration, bounded_exploration, values, condition };

std::string_view to_string(Proof proof);

struct SafetyOptions {
    explore::Limits limits{.states = 1'000'000, .memory = UINT64_MAX, .time = {}};
    unsigned jobs = 1;
    explore::ProgressCallback progress;
};

struct ProtocolSafety {
    base::Answer answer = base::Answer::undecided;
    Proof proof = Proof::none;
    std::string reason;  // one sentence
    // What was explored; none if the projections could not be made.
    std::optional<model::System> system;
    std::uint64_t states = 0, transitions = 0;
    std::uint32_t depth = 0;
    std::optional<std::uint32_t> bound;     // bounded_exploration: the capacity
    std::optional<explore::Unsafe> growth;  // a channel that can grow without bound, which is not a fault
    // If it fails: the run, and what it leads to: a bad situation, a `wait` that is due for ever, or, with
    // neither, a last step that the protocol does not allow.
    explore::Run run;
    std::optional<explore::Unsafe> unsafe;
    model::NodeId unserved;
    // If it is undecided because of a loop that its data may never let end: a step of it.
    model::NodeId endless;
    // If it fails with all values of its data: the steps of different branches that a role cannot tell apart
    // by their values either.
    std::optional<std::vector<base::Span>> alike;
    // Whether every run is one of the protocol: unknown where its language cannot be followed (reason).
    std::optional<bool> realizes;
    std::string realizes_reason;
};

ProtocolSafety protocol_safety(const model::Specification& specification, const model::Protocol& protocol,
                               const SafetyOptions& options = {});

// The same with what is known of the branching already, so that it is not computed twice.
ProtocolSafety protocol_safety(const model::Specification& specification, const model::Protocol& protocol,
                               const choreo::Branching& branching, const SafetyOptions& options);

// Whether the runs of a system are words of the protocol's language (Coto 2023, definition 3.3). Undecided,
// with a reason, if the protocol has no pomset meaning, the space is infinite, or a limit comes first.
// `plain` maps labels of the system to labels of the specification; if it is absent, they are the same.
explore::InclusionReport realizes(const model::Specification& specification, const model::Protocol& protocol,
                                  const model::System& system, const SafetyOptions& options,
                                  std::span<const model::LabelId> plain = {});

}  // namespace treaty::verify
