// remove_silent, determinise, minimise and compare_traces against one another and against brute force.
#include <gtest/gtest.h>

#include "choreo/determinise.h"
#include "choreo/minimise.h"
#include "choreo/remove_silent.h"
#include "choreo/testing/compare_traces.h"
#include "choreo/testing/machines.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::StateId;

constexpr std::size_t length = 7, plenty = 1000;

bool same(const Machine& a, const Machine& b) {
    return testing::same_weak_traces(testing::machine_steps(a), testing::machine_steps(b), length, plenty)
        .same;
}

bool has_silent(const Machine& m) {
    for (std::size_t s = 0; s < m.state_count(); ++s)
        for (const model::Edge& e : m.out(StateId(s)))
            if (e.label.index == 0) return true;
    return false;
}

bool deterministic(const Machine& m) {
    for (std::size_t s = 0; s < m.state_count(); ++s) {
        auto edges = m.out(StateId(s));
        for (std::size_t i = 1; i < edges.size(); ++i)
            if (edges[i].label == edges[i - 1].label) return false;
    }
    return true;
}

class MachineOps : public ::testing::Test {
protected:
    std::shared_ptr<model::Alphabet> alphabet = std::make_shared<model::Alphabet>();
};

TEST_F(MachineOps, RemoveSilentKeepsTracesAndEnds) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(1000); ++seed) {
        Machine m = testing::random_machine(seed, true, alphabet);
        Machine r = remove_silent(m);
        ASSERT_FALSE(has_silent(r)) << "seed " << seed;
        ASSERT_TRUE(same(m, r)) << "seed " << seed;
    }
}

TEST_F(MachineOps, DeterminiseKeepsTracesAndEnds) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(1000); ++seed) {
        Machine m = testing::random_machine(seed, true, alphabet);
        auto d = determinise(m);
        ASSERT_TRUE(d);
        ASSERT_TRUE(deterministic(*d)) << "seed " << seed;
        ASSERT_FALSE(has_silent(*d)) << "seed " << seed;
        ASSERT_TRUE(same(m, *d)) << "seed " << seed;
    }
}

TEST_F(MachineOps, DeterminiseStopsAtItsLimit) {
    // a, then anything of a and b, then a at the twelfth place from the end: exponential.
    model::MachineBuilder builder("M", alphabet);
    auto a = alphabet->plain("a"), b = alphabet->plain("b");
    for (int i = 0; i < 14; ++i) builder.state(i == 13);
    builder.edge(StateId(0u), a, StateId(0u));
    builder.edge(StateId(0u), b, StateId(0u));
    builder.edge(StateId(0u), a, StateId(1u));
    for (std::size_t i = 1; i < 13; ++i) {
        builder.edge(StateId(i), a, StateId(i + 1));
        builder.edge(StateId(i), b, StateId(i + 1));
    }
    Machine m = *builder.finish();
    auto d = determinise(m, {.states = 100, .deadline = {}});
    EXPECT_FALSE(d);
    EXPECT_EQ(d.stopped, base::StopReason::states);
    EXPECT_EQ(d.reason, "more than 100 states");
    EXPECT_TRUE(determinise(m));
}

TEST_F(MachineOps, MinimiseIsMinimalAndKeepsTraces) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(600); ++seed) {
        auto d = determinise(testing::random_machine(seed, true, alphabet));
        ASSERT_TRUE(d);
        Machine m = minimise(*d);
        ASSERT_TRUE(same(*d, m)) << "seed " << seed;
        for (std::size_t s = 0; s < m.state_count(); ++s)
            for (std::size_t t = s + 1; t < m.state_count(); ++t)
                ASSERT_FALSE(same(testing::from_state(m, StateId(s)), testing::from_state(m, StateId(t))))
                    << "seed " << seed << ": states " << s << " and " << t;
    }
}

TEST_F(MachineOps, MinimiseGivesEquivalentMachinesTheSameForm) {
    int equivalent = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(600); ++seed) {
        auto a = determinise(testing::random_machine(seed, true, alphabet));
        auto b = determinise(remove_silent(minimise(*a)));
        ASSERT_TRUE(model::same_machine(minimise(*a), minimise(*b))) << "seed " << seed;
        auto other = determinise(testing::random_machine(seed + 1, true, alphabet));
        bool equal = compare_traces(*a, *other).answer == base::Answer::holds;
        equivalent += equal;
        ASSERT_EQ(equal, model::same_machine(minimise(*a), minimise(*other))) << "seed " << seed;
    }
    EXPECT_GT(equivalent, 0);
}

TEST_F(MachineOps, MinimiseMergesOnlyBisimilarStatesOfOtherMachines) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(600); ++seed) {
        Machine m = testing::random_machine(seed, true, alphabet);
        Machine r = minimise(m);
        ASSERT_LE(r.state_count(), m.state_count());
        ASSERT_TRUE(same(m, r)) << "seed " << seed;
    }
}

TEST_F(MachineOps, CompareTracesAgreesWithBruteForce) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(1000); ++seed) {
        Machine a = testing::random_machine(seed, true, alphabet);
        Machine b = testing::random_machine(seed + 100'000, true, alphabet);
        auto compared = compare_traces(a, b);
        ASSERT_EQ(compared.answer == base::Answer::holds, same(a, b)) << "seed " << seed;
        ASSERT_EQ(compared.answer == base::Answer::fails, !compared.reason.empty());
    }
}

TEST_F(MachineOps, CompareTracesShowsAShortestDifference) {
    auto a = alphabet->plain("a"), b = alphabet->plain("b");
    auto chain = [&](bool with_b) {
        model::MachineBuilder builder("M", alphabet);
        for (int i = 0; i < 3; ++i) builder.state(i == 2);
        builder.edge(StateId(0u), a, StateId(1u));
        builder.edge(StateId(1u), a, StateId(2u));
        if (with_b) builder.edge(StateId(1u), b, StateId(2u));
        return *builder.finish();
    };
    auto compared = compare_traces(chain(true), chain(false));
    EXPECT_EQ(compared.answer, base::Answer::fails);
    EXPECT_EQ(compared.trace, (std::vector<std::string>{"a"}));
    EXPECT_EQ(compared.reason, "only the first continues with b");
}

}  // namespace
}  // namespace treaty::choreo
