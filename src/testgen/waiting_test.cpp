// Cases in which roles wait where they could send: what they add, and that they are fair.

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "testgen/adherence.h"
#include "testgen/follow.h"
#include "testgen/testing/examples.h"
#include "testgen/testing/slow.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using base::SeededRandom;
using choreo::testing::seeds;
using testing::disturbed;
using testing::Example;
using testing::random_case;

// B can send x at once, and answers y. If it sends x first, A may as well have x when D brings z.
constexpr const char* answer_beside = "par { A->B:y ; B->D:z ; D->A:z } { B->A:x ; A->C:go }";

// A that sends go as soon as it has z, whether x has come or not.
model::Machine hasty(const Example& example) {
    const model::Machine& a = example.machine("A");
    std::size_t z_only = SIZE_MAX;  // after y and z, before x
    for (const model::Edge& first : a.out(a.initial()))
        for (const model::Edge& second : a.out(first.target))
            if (a.alphabet().print(first.label) == "A B!y" && a.alphabet().print(second.label) == "D A?z")
                z_only = second.target.index;
    std::size_t end = testing::after_label(a, "A C!go");
    for (std::size_t s = 0; s < a.state_count(); ++s)
        if (a.out(model::StateId(s)).empty()) end = s;
    return testing::edited(
        a, [](testing::EditedEdge&) {},
        {{z_only, "A C!go", a.state_count()}, {a.state_count(), "B A?x", end}}, 1);
}

TEST(Waiting, AHastyComponentPassesUntilSomebodyWaits) {
    Example example(answer_beside);
    model::Machine wrong = hasty(example);
    SuccessStates ends = final_states(example.projections);
    TestSuite first(example.projections, example.role("A"), Keep::reachable, ends);
    TestSuite waiting(example.projections, example.role("A"), Keep::reachable, ends, Mixed::also_wait);
    EXPECT_EQ(testing::failures(example, first, wrong, true), 0u);
    EXPECT_GT(waiting.size(), first.size());
    EXPECT_GT(testing::failures(example, waiting, wrong, true), 0u);
    EXPECT_EQ(testing::failures(example, waiting, example.machine("A"), true), 0u);
    // The run with all choices open names the case.
    Observer observer(example.projections, example.role("A"), {});
    TestCase whole = first.whole();
    auto open = comply(wrong, whole.machines, &observer, {});
    ASSERT_TRUE(open.failure);
    TestCase test = follow(whole, open.failure->run);
    EXPECT_EQ(check_test_case(test.machines, example.role("A")), "");
    auto closed = comply(wrong, test.machines, &observer, {});
    ASSERT_TRUE(closed.failure);
    EXPECT_EQ(closed.failure->reason, "C gets go from A, which no run of the protocol allows here");
    std::vector<std::string> choices;
    for (const FixedChoice& choice : test.choices)
        choices.push_back(describe(*example.source.spec->alphabet, choice));
    EXPECT_EQ(choices.front(), "B waits for y from A before it sends x to A");
}

TEST(Waiting, NothingIsAddedWhereNobodyCan) {
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"})
        for (Keep keep : {Keep::all, Keep::reachable}) {
            TestSuite waiting(atm.projections, atm.role(cut), keep, final_states(atm.projections),
                              Mixed::also_wait);
            EXPECT_EQ(waiting.size(), atm.suite(cut, keep).size());
        }
}

// A component that sends nothing where a role waits for it is not to blame.
TEST(Waiting, InVainSaysNothing) {
    Example example("par { A->B:y } { B->A:x }");
    const model::Machine& a = example.machine("A");
    // Correct: it takes x first.
    model::Machine slow = testing::edited(a, [&](testing::EditedEdge& e) {
        if (e.from == 0 && e.label == "A B!y") e.label.clear();
    });
    SuccessStates ends = final_states(example.projections);
    TestSuite waiting(example.projections, example.role("A"), Keep::reachable, ends, Mixed::also_wait);
    ASSERT_EQ(waiting.size(), 2);
    Observer observer(example.projections, example.role("A"), {});
    std::size_t waited = 0;
    for (const Count& i : first_cases(waiting.size(), 2))
        for (Observer* o : {&observer, static_cast<Observer*>(nullptr)}) {
            auto verdict = comply(slow, waiting.at(i).machines, o, {});
            EXPECT_EQ(verdict.answer, Answer::holds);
            waited += verdict.waited ? 1 : 0;
        }
    EXPECT_EQ(waited, 2u);
}

// A component that fails with all choices open fails a case, and the other way round; and a component that
// keeps to the protocol fails none.
TEST(Waiting, TheCasesSeeWhatATesterWithAllChoicesOpenSees) {
    std::size_t compared = 0, failing = 0, only_by_waiting = 0, followed = 0;
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        auto source = random_case(seed);
        if (!source->good || !source->projections || source->projections->unfolded) continue;
        SeededRandom random(seed);
        for (model::RoleId cut : source->protocol->roles()) {
            SuccessStates ends = final_states(*source->projections);
            TestSuite suite(*source->projections, cut, Keep::reachable, ends, Mixed::also_wait);
            TestSuite plain(*source->projections, cut, Keep::reachable, ends);
            if (suite.size() == plain.size() || suite.size() > 60) continue;
            model::Mode modes[] = {model::Mode::fifo, model::Mode::bag, model::Mode::mailbox,
                                   model::Mode::sync};
            ComplianceOptions options;
            options.channels.mode = modes[seed % 4];
            Observer observer(*source->projections, cut, options.channels);
            TestCase whole = suite.whole();
            // Over channels that the protocol is not made for its own component may fail.
            bool suitable =
                comply(suite.component(), whole.machines, &observer, options).answer == Answer::holds;
            ASSERT_TRUE(suitable || options.channels.mode != model::Mode::fifo) << "seed " << seed;
            std::vector<model::Machine> components{suite.component()};
            for (int i = 0; i < 4; ++i)
                components.push_back(disturbed(disturbed(suite.component(), random), random));
            for (const model::Machine& component : components) {
                auto open = comply(component, whole.machines, &observer, options);
                std::size_t failed = 0;
                for (const Count& number : first_cases(suite.size(), 60)) {
                    TestCase test = suite.at(number);
                    ASSERT_EQ(check_test_case(test.machines, cut), "") << "seed " << seed;
                    auto verdict = comply(component, test.machines, &observer, options);
                    failed += verdict.answer == Answer::fails ? 1 : 0;
                }
                // Without channels a case may insist on a send that the component takes only later.
                bool insists = options.channels.mode == model::Mode::sync && failed > 0;
                ASSERT_EQ(open.answer == Answer::fails || insists, failed > 0)
                    << "seed " << seed << " cut " << source->specification.alphabet->name(cut) << ' '
                    << (open.failure ? open.failure->reason : "");
                ++compared;
                if (!open.failure) continue;
                ++failing;
                TestCase test = follow(whole, open.failure->run);
                auto closed = comply(component, test.machines, &observer, options);
                ASSERT_EQ(closed.answer, Answer::fails) << "seed " << seed;
                ++followed;
                std::size_t without = 0;
                for (const Count& number : first_cases(plain.size(), 60))
                    without += comply(component, plain.at(number).machines, &observer, options).answer ==
                                       Answer::fails
                                   ? 1
                                   : 0;
                only_by_waiting += without == 0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(compared, 300u);
    EXPECT_GT(failing, 100u);
    EXPECT_EQ(failing, followed);
    EXPECT_LT(failing, compared);
    EXPECT_GT(only_by_waiting, 5u);
}

TEST(Waiting, PassingMeansMoreIfSomebodyWaits) {
    Example example(answer_beside);
    SuccessStates ends = final_states(example.projections);
    for (Mixed mixed : {Mixed::send_first, Mixed::also_wait}) {
        TestSuite suite(example.projections, example.role("A"), Keep::reachable, ends, mixed);
        Adherence found = adherence(suite, {}, true);
        EXPECT_EQ(found.answer, mixed == Mixed::send_first ? Answer::fails : Answer::holds);
        if (found.wrong) {
            EXPECT_EQ(testing::failures(example, suite, found.wrong->component, true), 0u);
        }
    }
}

}  // namespace
}  // namespace treaty::testgen
