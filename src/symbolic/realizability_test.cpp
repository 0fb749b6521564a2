// Realizability, against running on all values.

#include <gtest/gtest.h>

#include "choreo/testing/seeds.h"
#include "symbolic/local_graph.h"
#include "symbolic/testing/graphs.h"
#include "symbolic/verify.h"

namespace treaty::symbolic {
namespace {

using namespace testing;
using enum CommunicationMode;

constexpr CommunicationMode modes[] = {sync, sending, reception, disjoint};

// Which guards are never true together, by running.
GuardFacts facts_by_running(const SymbolicGraph& graph) {
    Explicit run(graph);
    GuardFacts facts;
    for (const GraphState& state : graph.states)
        facts.exclusive.emplace_back(state.out.size() + 1, std::vector<bool>(state.out.size() + 1, true));
    for (const auto& [reached_config, distance] : reached(run, run.starts())) {
        const auto& config = reached_config;
        const auto& out = graph.states[config.state].out;
        auto holds = [&](std::size_t i) {
            return i == out.size() ? run.ends(config) : run.guard(config, out[GraphEdgeId(i)]);
        };
        for (std::size_t i = 0; i <= out.size(); ++i)
            for (std::size_t k = 0; k <= out.size(); ++k)
                if (holds(i) && holds(k)) facts.exclusive[config.state][i][k] = false;
    }
    // Two ways without guards are never called exclusive, even where the state cannot be reached.
    return facts;
}

SymbolicGraph reachable_by_running(const SymbolicGraph& graph) {
    Explicit run(graph);
    Reachability found;
    found.states.assign(graph.states.size(), Reach::unreachable);
    for (const GraphState& state : graph.states)
        found.edges.emplace_back(state.out.size(), Reach::unreachable);
    for (const auto& [reached_config, distance] : reached(run, run.starts())) {
        const auto& config = reached_config;
        found.states[config.state] = Reach::reachable;
        for (GraphEdgeId e : run.out(config).ids())
            for (std::int64_t z = 0; z < values; ++z)
                if (run.guard(config, run.out(config)[e]) && run.data(config, run.out(config)[e], z))
                    found.edges[config.state][e] = Reach::reachable;
    }
    return reachable_part(graph, found);
}

// The roles composed and run on all values do what the protocol says. Values that nothing binds are the same
// for all; the others are written before they are read, so any will do.
bool conforms_by_running(const SymbolicGraph& graph) {
    GraphResult all = composed(graph);
    if (!all) ADD_FAILURE() << all.error();
    if (!all) return false;
    SymbolicGraph together = std::move(*all);
    Meeting meeting = Meeting::fresh();
    SymbolicGraph theirs = *import_graph(graph, meeting);
    SymbolicGraph mine = *import_graph(together, meeting);
    mine.payload = theirs.payload = meeting.payload;
    Explicit a(mine), b(theirs);
    std::vector<VarId> shared;
    for (VarId v : a.variables())
        if (std::find(b.variables().begin(), b.variables().end(), v) != b.variables().end())
            shared.push_back(v);
    auto start = [&](const Explicit& run, std::int64_t value) {
        Config c{SymbolicGraph::initial, std::vector<std::int64_t>(run.variables().size(), 0)};
        for (std::size_t i = 0; i < run.variables().size(); ++i)
            if (std::find(shared.begin(), shared.end(), run.variables()[i]) != shared.end())
                c.value[i] = value;
        return c;
    };
    for (std::int64_t value = 0; value < values; ++value) {
        Config x = start(a, value), y = start(b, value);
        if (!ExplicitConformance(a, b, {x}, {y}).related(x, y)) return false;
    }
    return true;
}

TEST(Realizability, VerdictsAreThoseOfRunningOnAllValues) {
    std::size_t yes = 0, no = 0, composed_and_run = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(4));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        SymbolicGraph part = reachable_by_running(graph);
        ASSERT_EQ(to_text(part), to_text(c.part));
        if (roles_of(part).empty()) continue;
        GuardFacts facts = facts_by_running(part);
        for (CommunicationMode mode : modes) {
            bool said = find_problems(Draft(c.part), c.facts, mode).empty();
            EXPECT_EQ(said, find_problems(Draft(part), facts, mode).empty()) << to_text(graph);
            ++(said ? yes : no);
            if (!said) continue;
            // No wrong yes: what each role does for itself is together what the protocol says.
            ASSERT_TRUE(conforms_by_running(c.part)) << to_text(c.part);
            EXPECT_EQ(verify(c.part, c.part).verified, Verified::yes) << to_text(c.part);
            ++composed_and_run;
        }
    }
    EXPECT_GT(yes, 30u);
    EXPECT_GT(no, 200u);
    EXPECT_GT(composed_and_run, 30u);
}

}  // namespace
}  // namespace treaty::symbolic
