#include "api/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/completion/test_script.h"

namespace treaty::api::complete_test {
namespace {

constexpr const char* script =
    "channel a, b\n"
    "ONCE = a -> b -> STOP\n"
    "TWICE = a -> a -> STOP\n";

class Complete : public testing::Test {
protected:
    Complete() { workspace.set_overlay("f.csp", script); }
    CompleteAnswer ask(const CompleteQuestion& question) { return complete(workspace, question, context); }

    Workspace workspace;
    Context context;
};

TEST_F(Complete, ACorrectSystemIsProvedCorrect) {
    CompleteAnswer answer = ask({.file = "f.csp", .specification = "ONCE", .sut = "ONCE"});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_TRUE(answer.testing);
    EXPECT_GT(answer.testing->tests, 0u);
    EXPECT_EQ(answer.testing->waiting, 0u);
    EXPECT_EQ(answer.testing->ran.size(), answer.testing->tests);
    EXPECT_EQ(answer.domain_name, "any process over the alphabet");
    EXPECT_FALSE(answer.plan);
}

TEST_F(Complete, AWrongSystemFailsWithTheEventThatIsWrong) {
    CompleteAnswer answer = ask({.file = "f.csp", .specification = "ONCE", .sut = "TWICE"});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(answer.witness);
    ASSERT_EQ(answer.witness->events.size(), 2u);
    EXPECT_EQ(answer.witness->events[1].message, "a");
    EXPECT_EQ(answer.witness->failing, 1u);
}

TEST_F(Complete, WhatIsKnownBeforehandIsGivenBeforeTheFirstTest) {
    int calls = 0;
    CompleteQuestion question{.file = "f.csp", .specification = "ONCE", .sut = "ONCE"};
    question.before_tests = [&](const CompleteAnswer& so_far) {
        ++calls;
        EXPECT_TRUE(so_far.alphabet);
        EXPECT_EQ(so_far.alphabet->events.size(), 2u);
        EXPECT_TRUE(so_far.testing_ends);
        EXPECT_FALSE(so_far.testing);
    };
    ask(question);
    EXPECT_EQ(calls, 1);
}

TEST_F(Complete, APlanListsTheTestsAndIsAScript) {
    CompleteAnswer answer =
        ask({.file = "f.csp", .specification = "ONCE", .plan = true, .script = "tests.csp"});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_TRUE(answer.plan);
    ASSERT_FALSE(answer.plan->empty());
    EXPECT_EQ(print(*answer.names, answer.plan->front()), "(<>, b)");
    ASSERT_TRUE(answer.script);
    EXPECT_THAT(*answer.script, testing::HasSubstr("include \"f.csp\""));
    EXPECT_THAT(*answer.script, testing::HasSubstr("Test1 = pass -> b -> fail -> STOP"));
    EXPECT_FALSE(answer.testing);
}

TEST_F(Complete, ALimitOnTestsLeavesItUndecided) {
    CompleteAnswer answer = ask({.file = "f.csp", .specification = "ONCE", .sut = "ONCE", .tests = 1});
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.bound.empty());
    EXPECT_EQ(answer.testing->tests, 1u);
}

TEST_F(Complete, WhatCannotBeTestedForIsRefused) {
    CompleteAnswer divergences = ask({.file = "f.csp",
                                      .specification = "ONCE",
                                      .sut = "ONCE",
                                      .observation = explore::Observation::failures_divergences});
    EXPECT_FALSE(divergences.verdict);
    CompleteAnswer nothing = ask({.file = "f.csp", .specification = "ONCE"});
    EXPECT_FALSE(nothing.verdict);
    EXPECT_EQ(nothing.diagnostics.errors(), 1u);
}

}  // namespace
}  // namespace treaty::api::complete_test
