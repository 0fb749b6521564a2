// Deadlocks found by solving against deadlocks found by running on all values of small ranges.

#include <gtest/gtest.h>

#include "choreo/testing_seeds.h"
#include "symbolic/coherence.h"
#include "symbolic/testing_graphs.h"

namespace treaty::symbolic {
namespace {

using namespace testing;

// The shortest way into a configuration that can neither end nor go on; nothing if there is none.
std::optional<std::size_t> nearest_deadlock(const Explicit& run) {
    std::optional<std::size_t> nearest;
    for (const auto& [config, distance] : reached(run, run.starts()))
        if (stuck(run, config) && (!nearest || distance < *nearest)) nearest = distance;
    return nearest;
}

// The run that is shown, taken step by step by some initial values, and stuck at its end.
bool real(const SymbolicGraph& graph, const Explicit& run, const Incoherence& shown) {
    std::set<Config> now;
    for (const Config& c : run.starts()) now.insert(c);
    for (const auto& step : shown.run) {
        const GraphEdge& edge = graph.states[step.state].out[step.edge];
        std::set<Config> next;
        for (const Config& c : now)
            for (std::int64_t z = 0; z < values; ++z) {
                bool said = step.data.empty() || step.data[0].second == expr::Value(z);
                if (c.state == step.state && said && run.guard(c, edge) && run.data(c, edge, z))
                    next.insert(run.after(c, edge, z));
            }
        now = std::move(next);
    }
    return std::any_of(now.begin(), now.end(), [&](const Config& c) { return stuck(run, c); });
}

TEST(Coherence, DeadlocksAreThoseOfRunningOnAllValues) {
    std::size_t found = 0, free = 0, undecided = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(200); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.graph(2 + make.below(3), 3 + make.below(3), false, 60);
        for (GraphState& state : graph.states)
            if (state.out.empty() && make.percent(90)) state.terminates = graph.pool->boolean(true);
        solve::Solver solver(*graph.pool);
        Coherence answer = coherence(graph, reachability(graph, solver), solver);
        if (answer.answer == base::Answer::undecided) {
            ++undecided;
            continue;
        }
        Explicit run(graph);
        auto nearest = nearest_deadlock(run);
        ASSERT_EQ(answer.answer == base::Answer::fails, nearest.has_value()) << to_text(graph);
        if (!nearest) {
            ++free;
            continue;
        }
        ++found;
        EXPECT_EQ(answer.incoherence.run.size(), *nearest) << to_text(graph);
        EXPECT_TRUE(real(graph, run, answer.incoherence)) << to_text(graph);
    }
    EXPECT_GT(found, 40u);
    EXPECT_GT(free, 30u);
    EXPECT_LT(undecided * 20, found + free);
}

}  // namespace
}  // namespace treaty::symbolic
