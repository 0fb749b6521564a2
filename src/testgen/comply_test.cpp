// Compliance against a slow second way, on random protocols and components that are changed at random.

#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/pomset_language.h"
#include "choreo/testing/seeds.h"
#include "choreo/well_branched.h"
#include "testgen/oracle.h"
#include "testgen/testing/examples.h"
#include "testgen/testing/slow.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using base::SeededRandom;
using choreo::testing::seeds;
using model::StateId;
using testing::disturbed;
using testing::random_case;
using testing::SlowJudge;

TEST(Comply, AgreesWithFollowingEveryRun) {
    std::size_t compared = 0, failing = 0;
    for (std::uint64_t seed = 0; seed < seeds(400); ++seed) {
        auto source = random_case(seed);
        if (!source->good || !source->projections) continue;
        SeededRandom random(seed);
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections));
            auto numbers = sample_cases(suite.size(), 2, seed);
            model::Machine component = disturbed(suite.component(), random);
            bool global = random.percent(60);
            ComplianceOptions options;
            options.channels.mode = !global && random.percent(30) ? model::Mode::bag : model::Mode::fifo;
            Observer observer(*source->projections, cut, options.channels);
            for (const Count& number : numbers) {
                TestCase test = suite.at(number);
                SlowJudge slow(*source, cut, component, test, options.channels, global);
                auto expected = slow.run();
                if (slow.gave_up()) continue;
                auto verdict = comply(component, test.machines, global ? &observer : nullptr, options);
                ASSERT_NE(verdict.answer, Answer::undecided) << "seed " << seed;
                ASSERT_EQ(verdict.answer == Answer::fails, expected.has_value())
                    << "seed " << seed << " global " << global << ' '
                    << (verdict.failure ? verdict.failure->reason : "");
                if (expected) {
                    ASSERT_EQ(verdict.failure->run.size(), *expected) << "seed " << seed;
                }
                ++compared;
                failing += expected ? 1 : 0;
            }
        }
    }
    EXPECT_GT(compared, 500u);
    EXPECT_GT(failing, 100u);
    EXPECT_LT(failing, compared);
}

TEST(Comply, Theorem311EveryTestIsSuitable) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        auto source = random_case(seed);
        if (!source->good || !source->projections) continue;
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections));
            for (model::Mode mode : {model::Mode::fifo, model::Mode::bag}) {
                ComplianceOptions options;
                options.channels.mode = mode;
                options.observe_final = true;
                // Well-formed means over fifo channels; in a bag messages overtake, which not every protocol
                // allows.
                bool realized = holds_for_all_runs(*source->projections, final_states(*source->projections),
                                                   options.channels)
                                    .answer == Answer::holds;
                ASSERT_TRUE(realized || mode != model::Mode::fifo) << "seed " << seed;
                if (!realized) continue;
                Observer observer(*source->projections, cut, options.channels);
                for (const Count& number : sample_cases(suite.size(), 8, seed)) {
                    TestCase test = suite.at(number);
                    ASSERT_EQ(check_test_case(test.machines, cut), "") << "seed " << seed;
                    for (Observer* o : {&observer, static_cast<Observer*>(nullptr)}) {
                        auto verdict = comply(suite.component(), test.machines, o, options);
                        ASSERT_EQ(verdict.answer, Answer::holds)
                            << "seed " << seed << ' '
                            << (verdict.failure ? verdict.failure->reason : verdict.reason) << " cut "
                            << source->specification.alphabet->name(cut) << " in "
                            << choreo::testing::write(source->specification, *source->protocol);
                    }
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(compared, 1000u);
}

TEST(Comply, CyclesAndFloodsAreRunsToo) {
    testing::Example example("A->B:x ; B->A:y");
    TestSuite suite = example.suite("A");
    TestCase test = suite.at(0);
    model::Alphabet& alphabet = *example.source.spec->alphabet;
    auto spins = [&](model::LabelId label) {
        model::MachineBuilder builder("A", example.source.spec->alphabet, example.role("A"));
        StateId only = builder.state(false);
        builder.edge(only, label, only);
        return builder.finish().value();
    };
    auto idle = comply(spins(alphabet.silent()), test.machines, nullptr, {});
    ASSERT_EQ(idle.answer, Answer::fails);
    EXPECT_EQ(idle.failure->kind, FailureKind::endless);
    EXPECT_EQ(idle.failure->repeat, 0u);
    auto x = alphabet.send(example.role("A"), example.role("B"), alphabet.message("x"));
    auto flood = comply(spins(x), test.machines, nullptr, {});
    ASSERT_EQ(flood.answer, Answer::fails);
    EXPECT_EQ(flood.failure->kind, FailureKind::flood);
    ComplianceOptions bounded;
    bounded.channels.bound = 2;
    EXPECT_EQ(comply(spins(x), test.machines, nullptr, bounded).answer, Answer::fails);
}

TEST(Comply, GoingRoundForEverIsAMaximalRunInEveryMode) {
    testing::Example example("A->B:x ; B->A:y");
    model::Alphabet& alphabet = *example.source.spec->alphabet;
    model::RoleId a = example.role("A"), b = example.role("B");
    model::MessageId x = alphabet.message("x"), y = alphabet.message("y");
    // A sends x and waits for y, B the other way round, for ever.
    auto ring = [&](model::RoleId role, model::LabelId first, model::LabelId second) {
        model::MachineBuilder builder("M", example.source.spec->alphabet, role);
        StateId one = builder.state(false), two = builder.state(false);
        builder.edge(one, first, two);
        builder.edge(two, second, one);
        return builder.finish().value();
    };
    model::Machine component = ring(a, alphabet.send(a, b, x), alphabet.receive(b, a, y));
    TestMachine never{ring(b, alphabet.receive(a, b, x), alphabet.send(b, a, y)), {false, false}};
    TestMachine once = never;
    once.success = {true, false};
    for (model::Mode mode : {model::Mode::sync, model::Mode::fifo, model::Mode::bag, model::Mode::mailbox})
        for (std::optional<std::uint32_t> bound :
             {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(1)}) {
            ComplianceOptions options;
            options.channels = {mode, bound};
            auto verdict = comply(component, {never}, nullptr, options);
            ASSERT_EQ(verdict.answer, Answer::fails);
            EXPECT_EQ(verdict.failure->kind, FailureKind::endless);
            EXPECT_EQ(verdict.failure->repeat, 0u);
            EXPECT_EQ(verdict.failure->run.size(), 4u);  // all that repeats
            // A cycle through a moment of success has succeeded.
            EXPECT_EQ(comply(component, {once}, nullptr, options).answer, Answer::holds);
        }
}

TEST(Comply, OnlyTheChosenChannelsMustBeEmpty) {
    testing::Example example("A->B:x ; A->C:z");
    TestSuite suite = example.suite("A");
    TestCase test = suite.at(0);
    const model::Machine& a = example.machine("A");
    auto talkative = testing::edited(
        a, [](testing::EditedEdge&) {}, {{testing::after_label(a, "A C!z"), "A B!more", a.state_count()}}, 1);
    ComplianceOptions options;
    EXPECT_EQ(comply(talkative, test.machines, nullptr, options).answer, Answer::fails);
    options.stable = {{example.role("A"), example.role("C")}};
    EXPECT_EQ(comply(talkative, test.machines, nullptr, options).answer, Answer::holds);
}

TEST(Comply, WhatComesAfterTheEndIsSeen) {
    testing::Example example("A->B:x ; B->A:y");
    TestSuite suite = example.suite("A");
    TestCase test = suite.at(0);
    const model::Machine& a = example.machine("A");
    auto talkative = testing::edited(
        a, [](testing::EditedEdge&) {}, {{testing::after_label(a, "B A?y"), "A B!x", a.state_count()}}, 1);
    ComplianceOptions options;
    Observer observer(example.projections, suite.cut(), options.channels);
    EXPECT_EQ(comply(talkative, test.machines, nullptr, options).answer, Answer::holds);
    auto verdict = comply(talkative, test.machines, &observer, options);
    ASSERT_EQ(verdict.answer, Answer::fails);
    EXPECT_EQ(verdict.failure->kind, FailureKind::leftover);
}

}  // namespace
}  // namespace treaty::testgen
