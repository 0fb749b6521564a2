// Refinement in CSP's sense: is everything that the implementation can do, or refuse, allowed by the
// specification?
//
// traces: every trace of the implementation is one of the specification, and it ends only where that may end.
// failures: and after each trace, whatever a stable state of the implementation refuses the specification can
// refuse too. failures_divergences: and the implementation runs silently for ever only where the
// specification can, where anything is allowed from then on. Labels of different alphabets are compared by
// their text.
//
// A counterexample is shortest in visible events. Exact on finite graphs; on others it is found if there is
// one within the limits, and without one the answer is undecided and has how far the search went. Cost:
// O(pairs of a node of the specification's normal form and a state of the implementation), of which those
// that a stricter pair covers are left out (an antichain).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/answer.h"
#include "explore/refine/normal.h"
#include "explore/search_limits.h"

namespace treaty::explore {

enum class Observation : std::uint8_t { traces, failures, failures_divergences };

std::string_view to_string(Observation observation);  // "traces", "failures", "failures-divergences"
std::optional<Observation> parse_observation(std::string_view text);

enum class Violation : std::uint8_t { event, ending, refusal, divergence };

// What the implementation did and the specification does not allow. Labels are those of the implementation's
// alphabet; label 0 among the accepted ones means a successful end.
struct Counterexample {
    Violation violation = Violation::event;
    std::vector<model::LabelId> trace;   // visible events; of an event violation the last is the wrong one
    std::vector<model::StateId> states;  // of the implementation, silent steps included, initial first
    std::vector<std::string> allowed;    // what the specification offers after the trace before the last
    Acceptance accepted;                 // refusal: all that the stable state offers
    std::vector<std::string> refused;    // refusal: what it refuses of all events of both
    std::vector<std::vector<std::string>>
        wanted;  // refusal: the specification never refuses all of each of these
};

struct RefineOptions {
    Observation observation = Observation::traces;
    bool antichain = true;  // off: for comparing
    Limits limits;
    ProgressCallback progress;
};

struct RefineReport {
    base::Answer answer = base::Answer::undecided;
    std::string reason;
    std::optional<Counterexample> counterexample;
    std::uint64_t pairs = 0;
    std::uint64_t transitions = 0;
    std::uint64_t spec_nodes = 0;
    std::uint32_t depth = 0;  // visible events
    base::StopReason stopped = base::StopReason::none;
};

RefineReport refines(Graph& specification, Graph& implementation, const RefineOptions& options = {});
// Machines whose data is left aside. Final states count unless one of the two knows none.
RefineReport refines(const model::Machine& specification, const model::Machine& implementation,
                     const RefineOptions& options = {});

}  // namespace treaty::explore
