// Tables and examples of the cash machine (Coto 2023, chapter 3).

#include <gtest/gtest.h>

#include "testgen/testing/examples.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using testing::after_label;
using testing::edited;
using testing::EditedEdge;
using testing::Example;
using testing::failures;

model::Machine never_tells_quit(const Example& atm) {
    const model::Machine& a = atm.machine("A");
    std::size_t end = after_label(a, "A B!quit");
    return edited(a, [&](EditedEdge& e) {
        if (e.label == "C A?quit") e.to = end;
    });
}

model::Machine no_balance(const Example& atm) {
    return edited(atm.machine("A"), [](EditedEdge& e) {
        if (e.label == "C A?checkBalance") e.label.clear();
    });
}

model::Machine invents_balance(const Example& atm) {
    const model::Machine& a = atm.machine("A");
    std::size_t answer = after_label(a, "B A?balance");
    return edited(a, [&](EditedEdge& e) {
        if (e.label == "C A?checkBalance") e.to = answer;
    });
}

model::Machine swaps_money_and_bye(const Example& atm) {
    return edited(atm.machine("A"), [](EditedEdge& e) {
        if (e.label == "A C!money")
            e.label = "A C!bye";
        else if (e.label == "A C!bye")
            e.label = "A C!money";
    });
}

TEST(Atm, CountsOfTable31) {
    Example atm(testing::atm_text);
    EXPECT_EQ(atm.suite("A", Keep::all).size(), 12);
    EXPECT_EQ(atm.suite("B", Keep::all).size(), 3);
    EXPECT_EQ(atm.suite("C", Keep::all).size(), 4);
    EXPECT_EQ(atm.suite("A").size(), 9);
    EXPECT_EQ(atm.suite("B").size(), 3);
    EXPECT_EQ(atm.suite("C").size(), 3);
}

TEST(Atm, ProjectionsPassAndFaultyOnesFailTwice) {
    Example atm(testing::atm_text);
    for (Keep keep : {Keep::all, Keep::reachable}) {
        for (bool global : {false, true}) {
            for (const char* cut : {"A", "B", "C"})
                EXPECT_EQ(failures(atm, atm.suite(cut, keep), atm.machine(cut), global), 0u) << cut;
            TestSuite suite = atm.suite("A", keep);
            EXPECT_EQ(failures(atm, suite, never_tells_quit(atm), global), 2u);
            EXPECT_EQ(failures(atm, suite, no_balance(atm), global), 2u);
            EXPECT_EQ(failures(atm, suite, invents_balance(atm), global), 2u);
        }
    }
}

TEST(Atm, SwappedMoneyAndByeIsCaughtByTheGlobalVerdictOnly) {
    Example atm(testing::atm_text);
    TestSuite suite = atm.suite("A", Keep::all);
    EXPECT_EQ(failures(atm, suite, swaps_money_and_bye(atm), false), 0u);
    EXPECT_EQ(failures(atm, suite, swaps_money_and_bye(atm), true), 2u);
    for (model::Mode mode : {model::Mode::sync, model::Mode::bag, model::Mode::mailbox}) {
        ComplianceOptions options;
        options.channels.mode = mode;
        EXPECT_EQ(failures(atm, suite, atm.machine("A"), true, options), 0u);
        EXPECT_EQ(failures(atm, suite, swaps_money_and_bye(atm), true, options), 2u);
    }
}

TEST(Atm, AFailureIsShownByAShortestRun) {
    Example atm(testing::atm_text);
    TestSuite suite = atm.suite("A");
    ComplianceOptions options;
    Observer observer(atm.projections, suite.cut(), options.channels);
    auto swapped = swaps_money_and_bye(atm);
    for (const Count& i : first_cases(suite.size(), 100)) {
        auto verdict = comply(swapped, suite.at(i).machines, &observer, options);
        if (verdict.answer == Answer::holds) continue;
        EXPECT_EQ(verdict.failure->kind, FailureKind::refused);
        EXPECT_EQ(verdict.failure->run.size(), 16u);
        EXPECT_NE(verdict.failure->reason.find("C gets "), std::string::npos);
    }
}

std::vector<bool> only(const model::Machine& machine, std::vector<std::size_t> states) {
    std::vector<bool> success(machine.state_count(), false);
    for (std::size_t s : states) success[s] = true;
    return success;
}

std::size_t end_of(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (machine.out(model::StateId(s)).empty()) return s;
    return 0;
}

TestMachine to_the_end(const model::Machine& machine) {
    return {machine, only(machine, {end_of(machine)})};
}

model::Machine without(const model::Machine& machine, const char* label) {
    return edited(machine, [&](EditedEdge& e) {
        if (e.label == label) e.label.clear();
    });
}

TEST(Examples, E31WhatIsATestCase) {
    Example atm(testing::small_atm_text);
    EXPECT_EQ(check_test_case({to_the_end(atm.machine("A")), to_the_end(atm.machine("C"))}, atm.role("B")),
              "");
    EXPECT_EQ(check_test_case({to_the_end(atm.machine("B")), to_the_end(atm.machine("C"))}, atm.role("A")),
              "B chooses in state 1");
    EXPECT_EQ(check_test_case({to_the_end(atm.machine("A"))}, atm.role("A")), "A acts in it");
    EXPECT_EQ(check_test_case({to_the_end(atm.machine("A")), to_the_end(atm.machine("A"))}, atm.role("B")),
              "A is played by two machines");
}

TEST(Examples, E32TheBankCompliesWithT1) {
    Example atm(testing::small_atm_text);
    std::vector<TestMachine> t1{to_the_end(atm.machine("A")), to_the_end(atm.machine("C"))};
    EXPECT_EQ(comply(atm.machine("B"), t1, nullptr, {}).answer, Answer::holds);
}

TEST(Examples, E33NotWithT3AndT4) {
    Example atm(testing::small_atm_text);
    const model::Machine& a = atm.machine("A");
    std::vector<TestMachine> t3{{a, only(a, {after_label(a, "A B!authW")})}, to_the_end(atm.machine("C"))};
    EXPECT_EQ(comply(atm.machine("B"), t3, nullptr, {}).answer, Answer::fails);
    std::vector<TestMachine> t4{to_the_end(without(a, "B A?allow")), to_the_end(atm.machine("C"))};
    auto verdict = comply(atm.machine("B"), t4, nullptr, {});
    ASSERT_EQ(verdict.answer, Answer::fails);
    EXPECT_EQ(atm.source.spec->alphabet->print(verdict.failure->run.back().label), "B A!allow");
}

TEST(Examples, E34TheBankThatNeverAllowsCompliesWithT1) {
    Example atm(testing::small_atm_text);
    std::vector<TestMachine> t1{to_the_end(atm.machine("A")), to_the_end(atm.machine("C"))};
    EXPECT_EQ(comply(without(atm.machine("B"), "B A!allow"), t1, nullptr, {}).answer, Answer::holds);
}

TEST(Examples, E35TheCashMachineCompliesWithABankThatNeverAllows) {
    Example atm(testing::small_atm_text);
    std::vector<TestMachine> test{to_the_end(without(atm.machine("B"), "B A!allow")),
                                  to_the_end(atm.machine("C"))};
    EXPECT_EQ(check_test_case(test, atm.role("A")), "");
    EXPECT_EQ(comply(atm.machine("A"), test, nullptr, {}).answer, Answer::holds);
}

}  // namespace
}  // namespace treaty::testgen
