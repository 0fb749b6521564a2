// Components that take more rounds of a loop than the tests do are not to blame for it.

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "testgen/mutation.h"
#include "testgen/rounds.h"
#include "testgen/testing/examples.h"
#include "testgen/testing/slow.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using testing::Example;

Compliance judge(const Example& example, const TestSuite& suite, const model::Machine& component,
                 std::size_t test, bool global, bool bounded = true) {
    ComplianceOptions options;
    if (bounded) options.rounds = &example.projections;
    Observer observer(example.projections, suite.cut(), {});
    return comply(component, suite.at(test).machines, global ? &observer : nullptr, options);
}

TEST(Rounds, AComponentThatDecidesOnMoreRoundsIsNotFailed) {
    Example example("rep A { A->B:x ; B->A:y } ; A->B:z", 2);
    TestSuite suite = example.suite("A");
    ASSERT_EQ(suite.size(), 1u);
    const model::Machine& loops = example.projections.unbounded[*example.projections.position(suite.cut())];
    for (bool global : {true, false}) {
        EXPECT_EQ(judge(example, suite, loops, 0, global, false).answer, Answer::fails);
        auto verdict = judge(example, suite, loops, 0, global);
        EXPECT_EQ(verdict.answer, Answer::holds) << verdict.reason;
        EXPECT_TRUE(verdict.beyond);
        EXPECT_FALSE(judge(example, suite, suite.component(), 0, global).beyond);
    }
    // One that always takes three: not one run can be followed to its end.
    Example three("A->B:x ; B->A:y ; A->B:x ; B->A:y ; A->B:x ; B->A:y ; A->B:z");
    auto always = testing::edited(
        three.machine("A"), [](testing::EditedEdge&) {}, {}, 0);
    model::MachineBuilder builder("A", example.source.spec->alphabet, suite.cut());
    for (std::size_t s = 0; s < always.state_count(); ++s) builder.state(always.final(model::StateId(s)));
    for (std::size_t s = 0; s < always.state_count(); ++s)
        for (const model::Edge& edge : always.out(model::StateId(s))) {
            model::Event event = always.alphabet().event(edge.label);
            model::Alphabet& alphabet = *example.source.spec->alphabet;
            event.from = alphabet.role(always.alphabet().name(event.from));
            event.to = alphabet.role(always.alphabet().name(event.to));
            event.message = alphabet.message(always.alphabet().name(event.message));
            builder.edge(model::StateId(s), alphabet.label(event), edge.target);
        }
    auto verdict = judge(example, suite, builder.finish().value(), 0, true);
    EXPECT_EQ(verdict.answer, Answer::undecided);
    EXPECT_TRUE(verdict.beyond);
}

TEST(Rounds, AComponentThatMaySendForEverIsFollowedAsFarAsTheTestsGo) {
    Example example("rep A { A->B:x } ; A->B:z", 2);
    TestSuite suite = example.suite("A");
    const model::Machine& loops = example.projections.unbounded[*example.projections.position(suite.cut())];
    auto verdict = judge(example, suite, loops, 0, true);
    EXPECT_EQ(verdict.answer, Answer::holds);
    EXPECT_TRUE(verdict.beyond);
}

TEST(Rounds, AMistakeInsideTheRoundsIsStillFound) {
    Example example("rep A { A->B:x ; B->A:y } ; A->B:z", 2);
    TestSuite suite = example.suite("A");
    const model::Machine& loops = example.projections.unbounded[*example.projections.position(suite.cut())];
    auto wrong = testing::edited(loops, [](testing::EditedEdge& e) {
        if (e.label == "A B!z") e.label = "A B!w";
    });
    EXPECT_EQ(judge(example, suite, wrong, 0, true).answer, Answer::fails);
    auto impatient = testing::edited(loops, [](testing::EditedEdge& e) {
        if (e.label == "B A?y") e.label = "A B!x";
    });
    EXPECT_EQ(judge(example, suite, impatient, 0, true).answer, Answer::fails);
}

TEST(Rounds, NoProjectionWithItsLoopsIsFailed) {
    std::size_t judged = 0, beyond = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(300); seed += 5) {  // those with loops
        auto source = testing::random_case(seed);
        if (!source->good || !source->projections || !source->projections->unfolded) continue;
        const Projections& projections = *source->projections;
        ASSERT_EQ(projections.unbounded.size(), projections.machines.size());
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(projections, cut, Keep::reachable, final_states(projections));
            const model::Machine& loops = projections.unbounded[*projections.position(cut)];
            Observer observer(projections, cut, {});
            ComplianceOptions options;
            options.rounds = &projections;
            for (bool final : {false, true})
                for (const Count& number : sample_cases(suite.size(), 4, seed)) {
                    options.observe_final = final;
                    auto verdict = comply(loops, suite.at(number).machines, &observer, options);
                    ASSERT_NE(verdict.answer, Answer::fails)
                        << "seed " << seed << ' ' << verdict.failure->reason;
                    ++judged;
                    beyond += verdict.beyond ? 1 : 0;
                }
        }
    }
    EXPECT_GT(judged, 60u);
    EXPECT_GT(beyond, 10u);
}

// With the loops in the machines, and with so many rounds unrolled that no run of that length needs more.
TEST(Rounds, WhatAnyNumberOfRoundsAcceptsIsFoundBothWays) {
    constexpr std::uint32_t many = 8;
    std::size_t accepted = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(400); seed += 5) {
        auto source = testing::random_case(seed);
        if (!source->projections || !source->projections->unfolded) continue;
        auto wide = make_projections(source->specification, *source->protocol, many);
        if (!wide.projections || wide.projections->protocol->size() > 3000) continue;
        base::SeededRandom random(seed);
        const Projections& narrow = *source->projections;
        for (model::RoleId cut : source->protocol->roles())
            for (model::Mode mode : {model::Mode::fifo, model::Mode::bag, model::Mode::mailbox}) {
                model::Channels channels{mode, std::nullopt};
                Rounds rounds(&narrow, cut, channels);
                ASSERT_TRUE(rounds.apply());
                Observer observer(*wide.projections, cut, channels);
                auto machines = narrow.unbounded;
                std::size_t own = *narrow.position(cut);
                std::swap(machines[0], machines[own]);
                machines[0] = testing::disturbed(testing::disturbed(machines[0], random), random);
                std::vector<const model::Machine*> all;
                all.reserve(machines.size());
                for (const model::Machine& machine : machines) all.push_back(&machine);
                explore::Stepping stepping(all, channels);
                for (int walk = 0; walk < 40; ++walk) {
                    explore::Configuration at = stepping.initial();
                    explore::Run run;
                    std::uint32_t seen = observer.start();
                    std::vector<explore::Stepping::Move> moves;
                    while (run.size() < many && seen != Observer::refused) {
                        stepping.moves(at, moves);
                        if (moves.empty()) break;
                        auto move = moves[random.below(static_cast<std::uint32_t>(moves.size()))];
                        explore::Step step = stepping.events(at, move).front();
                        run.push_back(step);
                        if (observer.sees(step.label)) seen = observer.next(seen, step.label);
                        at = stepping.after(at, move);
                    }
                    if (observer.exhausted()) continue;
                    bool expected = seen != Observer::refused;
                    ASSERT_EQ(rounds.accepts(run), expected)
                        << "seed " << seed << " mode " << static_cast<int>(mode);
                    ++(expected ? accepted : refused);
                }
            }
    }
    EXPECT_GT(accepted, 300u);
    EXPECT_GT(refused, 30u);
}

// In the last round that is tested it asks once more instead of ending, and does not take the answer.
TEST(Rounds, AMutantIsWrongInALaterRound) {
    Example example("rep A { A->B:x ; B->A:y } ; A->B:z ; B->A:end", 2);
    TestSuite suite = example.suite("A");
    std::vector<TestCase> tests{suite.at(0)};
    auto mutants = mutate_machine(suite.component());
    MutationOptions options;
    options.every_case = true;
    auto verdicts = judge_mutants(example.projections, suite.cut(), mutants, tests, suite.whole(), options);
    std::size_t later = 0;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        EXPECT_NE(verdicts[i].fate, Fate::survived) << mutants[i].what;
        EXPECT_NE(verdicts[i].fate, Fate::undecided) << mutants[i].what;
        if (!verdicts[i].own_test) continue;
        ++later;
        const TestCase& test = *verdicts[i].own_test;
        EXPECT_EQ(check_test_case(test.machines, suite.cut()), "");
        EXPECT_EQ(comply(mutants[i].machine, test.machines, nullptr, {}).answer, Answer::fails);
        EXPECT_EQ(comply(suite.component(), test.machines, nullptr, {}).answer, Answer::holds);
        EXPECT_TRUE(verdicts[i].explanation.ends_with("(in a later round)"));
    }
    EXPECT_GT(later, 0u);
}

TEST(Rounds, AMutantThatTakesOneRoundMoreIsEquivalent) {
    Example example("rep A { A->B:x } ; A->B:z", 2);
    TestSuite suite = example.suite("A");
    std::vector<TestCase> tests{suite.at(0)};
    auto mutants = mutate_machine(suite.component());
    auto verdicts =
        judge_mutants(example.projections, suite.cut(), mutants, tests, suite.whole(), MutationOptions{});
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        if (mutants[i].op != Operator::repeat_transition) continue;
        bool x = mutants[i].what.find("!x") != std::string::npos;
        EXPECT_EQ(verdicts[i].fate, x ? Fate::equivalent : Fate::killed) << mutants[i].what;
        repeated += x ? 1 : 0;
    }
    EXPECT_EQ(repeated, 2u);
}

}  // namespace
}  // namespace treaty::testgen
