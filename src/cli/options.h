// The options that every verb has, with one meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/limits.h"
#include "choreo/machine_limits.h"
#include "explore/safety.h"
#include "report/style.h"
#include "symbolic/conformance.h"
#include "symbolic/protocol_graph.h"

namespace treaty::cli {

struct Options {
    bool json = false;
    report::ColorChoice color = report::ColorChoice::automatic;
    std::optional<std::chrono::nanoseconds> time;
    std::optional<std::uint64_t> states;
    std::optional<std::uint64_t> memory;  // bytes
    std::uint64_t jobs = 0;               // 0: as many as the machine has
    std::uint64_t seed = 0;

    // Of the whole run, whatever it is made of: the clock starts when the command line has been read.
    base::Deadline deadline;

    // The limits as the engines want them. Nobody else makes these from the options.
    choreo::MachineLimits machine_limits() const;
    explore::Limits search_limits() const;
    symbolic::GraphLimits graph_limits() const;
    symbolic::ConformanceLimits conformance_limits() const;
    unsigned threads() const;
};

}  // namespace treaty::cli
