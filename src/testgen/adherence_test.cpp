// Wrong components that pass, and the other kind of test.

#include <gtest/gtest.h>

#include "testgen/adherence.h"
#include "testgen/dual.h"
#include "testgen/testing_examples.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using testing::Example;

TEST(Adherence, TheSeedsFirstExampleIsCaughtBecauseTheTesterSeesTheOrder) {
    Example example("A->B:x ; B->A:y ; A->C:z");
    EXPECT_EQ(find_wrong_passer(example.suite("A"), {}).answer, Answer::undecided);
}

TEST(Adherence, TheSeedsSecondExampleDependsOnTheChannels) {
    Example example("A->B:x ; A->B:y");
    ComplianceOptions options;
    EXPECT_EQ(find_wrong_passer(example.suite("A"), options).answer, Answer::undecided);
    options.channels.mode = model::Mode::bag;
    auto found = find_wrong_passer(example.suite("A"), options);
    ASSERT_EQ(found.answer, Answer::fails);
    EXPECT_EQ(found.wrong->what, "does A B!y before A B!x");
    ASSERT_EQ(found.wrong->run.size(), 1u);
    EXPECT_EQ(example.source.spec->alphabet->print(found.wrong->run[0].label), "A B!y");
}

TEST(Adherence, SendsToDifferentRolesMayBeExchangedOverQueues) {
    Example example("A->B:x ; A->C:z");
    EXPECT_EQ(find_wrong_passer(example.suite("A"), {}).answer, Answer::fails);
    ComplianceOptions sync;
    sync.channels.mode = model::Mode::sync;
    EXPECT_EQ(find_wrong_passer(example.suite("A"), sync).answer, Answer::undecided);
}

TEST(Adherence, TheProjectionNeverLeavesTheProtocol) {
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"})
        EXPECT_FALSE(leaves_protocol(atm.machine(cut), atm.suite(cut), {}).has_value());
}

TEST(Dual, TestsOfTheCashMachineAreItsMirrorWithChoicesFixed) {
    Example atm(testing::atm_text);
    const model::Machine& a = atm.machine("A");
    auto tests = dual_tests(a, Keep::reachable, 100, 0);
    ASSERT_TRUE(tests);
    EXPECT_EQ(tests->size(), 5u);  // denied, or granted and: withdraw twice, balance, quit
    Observer observer(atm.projections, atm.role("A"), {});
    auto swapped = testing::edited(a, [](testing::EditedEdge& e) {
        if (e.label == "A C!money")
            e.label = "A C!bye";
        else if (e.label == "A C!bye")
            e.label = "A C!money";
    });
    std::size_t caught = 0;
    for (const TestCase& test : *tests) {
        EXPECT_EQ(comply(a, test.machines, nullptr, {}).answer, Answer::holds);
        EXPECT_EQ(comply(a, test.machines, &observer, {}).answer, Answer::holds);
        caught += comply(swapped, test.machines, nullptr, {}).answer == Answer::fails ? 1 : 0;
    }
    EXPECT_EQ(caught, 2u);  // even by the local verdict: the mirror knows what belongs together
}

TEST(Dual, OfTheDualIsTheMachine) {
    Example atm(testing::atm_text);
    EXPECT_TRUE(model::same_machine(dual_of(dual_of(atm.machine("A"))), atm.machine("A")));
}

}  // namespace
}  // namespace treaty::testgen
