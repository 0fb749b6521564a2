// Loops that are said to end, against running on all values of small ranges.
#include "symbolic/loop_exits.h"

#include <gtest/gtest.h>

#include "choreo/testing/seeds.h"
#include "symbolic/testing/graphs.h"

namespace treaty::symbolic {
namespace {

using namespace testing;

// By pair of states: whether the second is reached from the first by at least one edge.
std::set<std::pair<GraphStateId, GraphStateId>> reachable_pairs(const SymbolicGraph& graph) {
    std::set<std::pair<GraphStateId, GraphStateId>> pairs;
    for (bool grown = true; grown;) {
        grown = false;
        for (GraphStateId s : graph.states.ids())
            for (const GraphEdge& edge : graph.states[s].out)
                for (GraphStateId t : graph.states.ids())
                    if ((t == edge.target || pairs.contains({edge.target, t})) && pairs.insert({s, t}).second)
                        grown = true;
    }
    return pairs;
}

TEST(LoopExits, ALoopThatEndsCanBeLeftWithAllValues) {
    std::size_t endless = 0, left = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.graph(2 + make.below(3), 3 + make.below(3), false, 60, 3);
        solve::Solver solver(*graph.pool);
        if (find_endless_loop(graph, solver, {})) {
            ++endless;
            continue;
        }
        auto pairs = reachable_pairs(graph);
        Explicit run(graph);
        for (const auto& [config, distance] : reached(run, run.starts())) {
            GraphStateId home = config.state;
            auto inside = [&](GraphStateId s) {
                return pairs.contains({home, s}) && pairs.contains({s, home});
            };
            if (!inside(home)) continue;
            std::set<model::RoleId> in_loop, after;
            bool exit = false;
            for (GraphStateId s : graph.states.ids()) {
                if (!pairs.contains({home, s})) continue;
                exit = exit || !inside(s) || graph.states[s].terminates;
                for (const GraphEdge& edge : graph.states[s].out) {
                    auto& roles = inside(s) && inside(edge.target) ? in_loop : after;
                    roles.insert(graph.sender(edge));
                    roles.insert(graph.receiver(edge));
                }
            }
            bool awaited = !std::includes(in_loop.begin(), in_loop.end(), after.begin(), after.end());
            if (!exit || !awaited) continue;
            bool leaves = false;
            for (const auto& [later, far] : reached(run, {config}))
                leaves = leaves || !inside(later.state) || run.ends(later) || stuck(run, later);
            ASSERT_TRUE(leaves) << "state " << home.index << " of\n" << to_text(graph);
            ++left;
        }
    }
    EXPECT_GT(endless, 10u);
    EXPECT_GT(left, 100u);
}

}  // namespace
}  // namespace treaty::symbolic
