// Realizability and what is added for it, against running on all values and against trying everything.

#include <gtest/gtest.h>

#include "choreo/random_protocol.h"
#include "choreo/testing_seeds.h"
#include "symbolic/restrict.h"
#include "symbolic/testing_graphs.h"
#include "symbolic/verify.h"

namespace treaty::symbolic {
namespace {

using namespace testing;
using enum CommunicationMode;

constexpr CommunicationMode modes[] = {sync, sending, reception, disjoint};

struct Case {
    SymbolicGraph part;
    Reachability reach;
    GuardFacts facts;
};

Case prepared(const SymbolicGraph& graph, solve::Solver& solver) {
    SymbolicGraph part = reachable_part(graph, reachability(graph, solver));
    Reachability reach = reachability(part, solver);
    GuardFacts facts = guard_facts(part, reach, solver);
    return {std::move(part), std::move(reach), std::move(facts)};
}

// Which guards are never true together, by running.
GuardFacts facts_by_running(const SymbolicGraph& graph) {
    Explicit run(graph);
    GuardFacts facts;
    for (const GraphState& state : graph.states)
        facts.exclusive.emplace_back(state.out.size() + 1, std::vector<bool>(state.out.size() + 1, true));
    for (const auto& [config, distance] : reached(run, run.starts())) {
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
    for (const auto& [config, distance] : reached(run, run.starts())) {
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
    if (!all) ADD_FAILURE() << all.reason;
    if (!all) return false;
    SymbolicGraph together = std::move(*all.graph);
    Meeting meeting = Meeting::fresh();
    SymbolicGraph theirs = *import_graph(graph, meeting).graph;
    SymbolicGraph mine = *import_graph(together, meeting).graph;
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
        Case c = prepared(graph, solver);
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

// No set of fewer additions repairs it, whatever they are and wherever they stand.
bool fewer_would_do(const SymbolicGraph& graph, const Draft& draft, const GuardFacts& facts,
                    CommunicationMode mode, std::size_t count) {
    if (find_problems(draft, facts, mode, 1).empty() && verify(graph, draft.graph).verified != Verified::no)
        return true;
    if (count == 0) return false;
    AdditionSpace all(draft);
    for (std::size_t place = 0; place < all.places().size(); ++place)
        for (std::size_t saying = 0; saying < all.sayings().size(); ++saying) {
            Addition a = all.at(place, saying);
            a.message = "brute" + std::to_string(count);
            Draft next = draft;
            apply(next, a);
            if (fewer_would_do(graph, next, facts, mode, count - 1)) return true;
        }
    return false;
}

// Adding what is asked for always helps, and nothing smaller would have done.
TEST(Smart, AdditionsAreEnoughAndFewest) {
    std::size_t repaired = 0, proved = 0, searched = 0, deep = 0, hidden = 0, not_found = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(80); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Case c = prepared(graph, solver);
        CommunicationMode mode = modes[seed % 4];
        RepairLimits limits;
        limits.work = 20'000;
        Repair result = repair(c.part, c.reach, mode, solver, limits);
        not_found += !result.realizable;
        if (!result.realizable || result.additions.empty()) continue;
        ++repaired;
        Draft draft(c.part);
        for (const Addition& a : result.additions) apply(draft, a);
        EXPECT_TRUE(find_problems(draft, c.facts, mode).empty());
        EXPECT_TRUE(realizable(result.graph, mode, solver));
        Verified verified = verify(c.part, result.graph).verified;
        EXPECT_TRUE(verified == Verified::yes || verified == Verified::with_additions)
            << describe(verified) << "\n"
            << to_text(result.graph);
        hidden += verified == Verified::yes;
        proved += result.minimal;
        std::size_t size = result.additions.size();
        std::size_t ways = AdditionSpace(Draft(c.part)).size();
        if (!result.minimal || size > 3 || (size == 3 && (ways > 60 || deep >= 6))) continue;
        ++searched;
        deep += size == 3;
        EXPECT_FALSE(fewer_would_do(c.part, Draft(c.part), c.facts, mode, size - 1)) << to_text(c.part);
    }
    EXPECT_GT(repaired, 35u);
    EXPECT_GT(proved, 20u);
    EXPECT_GT(searched, 20u);
    EXPECT_GT(hidden, 12u);
    EXPECT_LT(not_found * 10, repaired);
}

// What is called realizable, with additions or without, is: the roles composed never do anything else.
class Conforming {
public:
    void try_all_modes(const SymbolicGraph& graph) {
        solve::Solver solver(*graph.pool);
        Case c = prepared(graph, solver);
        if (roles_of(c.part).empty()) return;
        for (CommunicationMode mode : modes) {
            RepairLimits limits;
            limits.work = 4'000;
            Repair result = repair(c.part, c.reach, mode, solver, limits);
            not_found += !result.realizable;
            if (!result.realizable) continue;
            Verified verified = verify(c.part, result.graph).verified;
            EXPECT_TRUE(verified == Verified::yes || verified == Verified::with_additions)
                << to_string(mode) << "\n"
                << describe(verified) << "\n"
                << to_text(c.part) << to_text(result.graph);
            ++realized;
            mended += !result.additions.empty();
        }
    }
    std::size_t realized = 0, mended = 0, not_found = 0;
};

TEST(Smart, WhatIsCalledRealizableConforms) {
    Conforming all;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(25); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model::Specification spec;
        choreo::RandomShape shape;
        shape.roles = 3 + seed % 2;
        shape.messages = 6;
        shape.steps = 3;
        shape.branches = 2;
        shape.depth = 2;
        shape.parallel = false;
        shape.loops = seed % 3 == 0;
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        spec.messages.resize(spec.alphabet->message_count());
        all.try_all_modes(*protocol_graph(spec, protocol).graph);
    }
    EXPECT_GT(all.realized, 80u);
    EXPECT_GT(all.mended, 50u);
    EXPECT_LT(all.not_found * 10, all.realized);
}

TEST(Smart, WhatIsCalledRealizableConformsWithData) {
    Conforming all;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(25); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        all.try_all_modes(make.protocol(2 + make.below(4), 2 + make.below(4)));
    }
    EXPECT_GT(all.realized, 60u);
    EXPECT_GT(all.mended, 40u);
    EXPECT_LT(all.not_found * 5, all.realized);
}

// Additions around one state leave states with names of their own.
TEST(Smart, StatesOfAMendedGraphHaveDifferentNames) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Case c = prepared(graph, solver);
        RepairLimits limits;
        limits.work = 0;
        SymbolicGraph mended = repair(c.part, c.reach, disjoint, solver, limits).graph;
        std::set<std::string> names;
        for (GraphStateId s : mended.states.ids())
            EXPECT_TRUE(names.insert(mended.state_name(s)).second) << to_text(mended);
    }
}

}  // namespace
}  // namespace treaty::symbolic
