// Can a state go on for ever without anybody seeing it? Answers are remembered.
//
// Cost: O(silent edges) for all questions together. A broken graph gives no answer that may be relied on.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/refine/graph.h"

namespace treaty::explore {

class Divergence {
public:
    explicit Divergence(Graph& graph) : graph_(graph) {}
    // Whether a cycle of silent steps can be reached from s by silent steps.
    bool operator()(model::StateId s);

private:
    enum class Mark : std::uint8_t { unknown, open, no, yes };
    Mark& mark(model::StateId s);

    Graph& graph_;
    std::vector<Mark> marks_;
};

}  // namespace treaty::explore
