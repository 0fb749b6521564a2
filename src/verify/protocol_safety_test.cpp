#include "verify/protocol_safety.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "choreo/project.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/unserved_wait.h"
#include "explore/exhaustive_bound.h"
#include "symbolic/protocol_graph.h"
#include "verify/testing/language.h"

namespace treaty::verify {
namespace {

using base::Answer;

// Small protocols as people write them, with and without announcements.
choreo::RandomShape shape_of(std::uint64_t seed) {
    choreo::RandomShape shape;
    shape.roles = 2 + static_cast<std::uint32_t>(seed % 3);
    shape.steps = 2 + static_cast<std::uint32_t>(seed / 3 % 4);
    shape.depth = 2;
    shape.branches = 2;
    shape.recursion = seed % 2 == 0;
    shape.parallel = seed % 5 == 0;
    shape.announced = seed % 4 != 0;
    shape.careless = 30;
    return shape;
}

explore::ExploreOptions small() {
    explore::ExploreOptions options;
    options.limits.states = 20'000;
    return options;
}

std::set<explore::UnsafeKind> faults(const model::System& system, std::uint32_t capacity) {
    std::set<explore::UnsafeKind> kinds;
    explore::ExploreOptions options = small();
    options.reduce = false;
    for (const auto& unsafe :
         explore::explore(explore::with_channels(system, {model::Mode::fifo, capacity}), options).unsafe)
        kinds.insert(unsafe.kind);
    return kinds;
}

// With more room nothing else goes wrong, and nothing that went wrong goes right.
TEST(ExhaustiveBound, LargerCapacitiesShowTheSameFaults) {
    std::size_t enough = 0, growing = 0, faulty = 0;
    std::size_t count = choreo::testing::seeds(1500);
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        model::Specification spec;
        model::Protocol protocol = choreo::random_protocol(spec, shape_of(seed), seed);
        auto made = choreo::make_plain_system(spec, protocol);
        ASSERT_TRUE(made);
        auto found = explore::exhaustive_bound(*made.system, 2, 2000);
        if (!found.bound) continue;
        ++enough;
        auto here = faults(*made.system, *found.bound);
        faulty += !here.empty();
        for (std::uint32_t more = 1; more <= 2; ++more)
            EXPECT_EQ(here, faults(*made.system, *found.bound + more))
                << "seed " << seed << ", capacity " << *found.bound << " and " << more << " more";
        auto verdict = explore::judge_safety(*made.system, small());
        growing += verdict.growth.has_value();
        if (verdict.report.answer != Answer::undecided) {
            EXPECT_EQ(verdict.report.answer, here.empty() ? Answer::holds : Answer::fails) << "seed " << seed;
        }
    }
    std::cout << enough << " of " << count << " systems have a capacity that is enough; in " << growing
              << " of them a channel grows, in " << faulty << " there is a fault\n";
    EXPECT_GT(growing, count / 50);
    EXPECT_GT(faulty, count / 50);
}

// Well-branched protocols over separate channels are safe, whatever decides it; and what holds or fails
// agrees with a plain search over small queues, word by word.
TEST(ProtocolSafety, AgreesWithAPlainSearch) {
    std::size_t holds = 0, fails = 0, undecided = 0;
    std::size_t count = choreo::testing::seeds(1500);
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        model::Specification spec;
        model::Protocol protocol = choreo::random_protocol(spec, shape_of(seed), seed);
        base::Diagnostics unused;
        choreo::Branching branching = choreo::check_branching(spec, protocol, unused);
        SafetyOptions options;
        options.limits.states = 20'000;
        ProtocolSafety safety = protocol_safety(spec, protocol, branching, options);
        if (branching.well_branched && branching.separate_channels) {
            EXPECT_EQ(safety.answer, Answer::holds) << "seed " << seed << ": " << safety.reason;
        }
        (safety.answer == Answer::holds ? holds : safety.answer == Answer::fails ? fails : undecided)++;
        if (safety.answer == Answer::fails) {
            explore::Semantics semantics(*safety.system);
            EXPECT_TRUE(semantics.replay(safety.run)) << "seed " << seed;
        }
        if (safety.answer != Answer::holds || !safety.realizes.value_or(false)) continue;
        auto language = choreo::PomsetLanguage::of(spec, protocol);
        ASSERT_TRUE(language);
        auto plain = testing::compare_with_language(*safety.system, *language, 2, 3000);
        EXPECT_EQ(plain.extra, "") << "seed " << seed;
        EXPECT_EQ(plain.stuck, "") << "seed " << seed;
    }
    std::cout << holds << " hold, " << fails << " fail, " << undecided << " undecided\n";
    EXPECT_GT(holds, count / 10);
    EXPECT_GT(fails, count / 10);
    EXPECT_LT(undecided, count / 20);
}

// A `wait` against the graph that steps through the text itself. Where that graph gets stuck, a `wait` is to
// blame; where a `wait` is unserved, the graph has a state from which it never ends.
TEST(UnservedWait, AgreesWithTheGraphOfTheText) {
    std::size_t stuck_ones = 0, served = 0;
    std::size_t count = choreo::testing::seeds(1500);
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        model::Specification spec;
        choreo::RandomShape shape = shape_of(seed);
        shape.parallel = shape.semaphores = true;
        shape.steps = 4 + static_cast<std::uint32_t>(seed % 4);
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        if (!choreo::has_waits(protocol)) continue;
        choreo::WaitResult found = choreo::find_unserved_wait(spec, protocol);
        auto graph = symbolic::protocol_graph(spec, protocol);
        if (!found.reason.empty() || !graph) continue;
        bool stuck = false;
        std::vector<bool> may_end(graph->states.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < may_end.size(); ++s) {
                const model::GraphState& state = graph->states[model::GraphStateId(s)];
                bool ends = bool(state.terminates);
                for (const model::GraphEdge& edge : state.out) ends = ends || may_end[edge.target.index];
                stuck = stuck || (state.out.empty() && !state.terminates);
                changed = changed || ends != may_end[s];
                may_end[s] = ends;
            }
        }
        bool never_ends = std::find(may_end.begin(), may_end.end(), false) != may_end.end();
        (found.unserved ? stuck_ones : served) += 1;
        ASSERT_TRUE(!stuck || found.unserved) << "seed " << seed;
        ASSERT_TRUE(!found.unserved || never_ends) << "seed " << seed;
    }
    std::cout << stuck_ones << " with a `wait` that nothing serves, " << served << " without\n";
    EXPECT_GT(stuck_ones, count / 50);
    EXPECT_GT(served, count / 100);
}

}  // namespace
}  // namespace treaty::verify
