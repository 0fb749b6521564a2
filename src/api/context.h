// How a question is to be answered: how long, how large, on how many threads, with which seed, and who may
// stop it.
//
// Nothing is process-wide. Two questions with two contexts run side by side, and each is stopped alone by its
// own token.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "api/progress.h"
#include "base/limits.h"
#include "choreo/machine_limits.h"
#include "explore/search_limits.h"
#include "symbolic/conformance.h"
#include "symbolic/protocol_graph.h"

namespace treaty::api {

struct Context {
    base::Deadline deadline;  // of the whole question, with its stop token
    bool time_limited =
        false;  // whether the user has set a time; else a question may have a limit of its own
    std::optional<std::uint64_t> states;  // what a state is depends on the question
    std::optional<std::uint64_t> memory;  // bytes
    unsigned jobs = 1;
    std::uint64_t seed = 0;
    ProgressSink progress;  // may be empty; called one at a time, from any thread of the work

    // The limits as the engines need them, made only here.
    choreo::MachineLimits machine_limits() const;
    explore::Limits search_limits() const;
    // For questions that are asked without a thought of limits: where none is given, more than the protocols
    // that people write need, gone in seconds.
    explore::Limits everyday_limits() const;
    symbolic::GraphLimits graph_limits() const;
    symbolic::ConformanceLimits conformance_limits() const;
};

}  // namespace treaty::api
