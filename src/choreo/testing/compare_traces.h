// Whether two machines have the same traces and end successfully after the same ones.
//
// Works on any machines, deterministic or not: both are determinised first. Labels are compared by their
// text, so the alphabets may differ; data by identity, so machines with data must share a pool.
// Breadth-first: a difference is shown by a shortest trace. Cost: that of determinise(), then one visit a
// pair of states.
#pragma once

#include <string>
#include <vector>

#include "base/answer.h"
#include "choreo/machine_limits.h"
#include "model/machine.h"

namespace treaty::choreo {

struct TraceComparison {
    base::Answer answer = base::Answer::undecided;  // holds: equal; fails: different
    std::vector<std::string> trace;                 // fails: after or with this, they differ
    std::string reason;                             // fails, undecided: in what, or why
};

TraceComparison compare_traces(const model::Machine& a, const model::Machine& b,
                               const MachineLimits& limits = {});

}  // namespace treaty::choreo
