#include "api/refine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treaty::api::refine_test {
namespace {

constexpr const char* script =
    "channel a, b, c\n"
    "SPEC = a -> b -> STOP\n"
    "WRONG = a -> c -> STOP\n"
    "LAZY = a -> STOP\n";

class Refine : public testing::Test {
protected:
    Refine() { workspace.set_overlay("f.csp", script); }
    RefineAnswer ask(RefineQuestion question) { return refine(workspace, question, context); }

    Workspace workspace;
    Context context;
};

TEST_F(Refine, AWrongEventIsTheLastOfTheWitness) {
    RefineAnswer answer = ask({.specification = "f.csp:SPEC", .implementation = "f.csp:WRONG"});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(answer.counterexample);
    EXPECT_EQ(print_trace(*answer.alphabet, answer.counterexample->trace), "<a, c>");
    EXPECT_THAT(answer.counterexample->allowed, testing::ElementsAre("b"));
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->events.size(), 2u);
    EXPECT_EQ(answer.witness->failing, 1u);
}

TEST_F(Refine, RefusingIsAFaultOnlyWhereRefusalsAreObserved) {
    RefineQuestion question{.specification = "f.csp:SPEC", .implementation = "f.csp:LAZY"};
    EXPECT_EQ(ask(question).verdict, Verdict::holds);
    question.observation = explore::Observation::failures;
    RefineAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(answer.counterexample);
    EXPECT_EQ(answer.counterexample->violation, explore::Violation::refusal);
}

TEST_F(Refine, WithoutANameTheLastDefinitionIsTaken) {
    RefineAnswer answer = ask({.specification = "f.csp:SPEC", .implementation = "f.csp"});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.chosen.size(), 1u);
    EXPECT_EQ(answer.chosen[0].name, "LAZY");
}

TEST_F(Refine, EndsAreLeftAsideWhereANotationHasNone) {
    workspace.set_overlay("m.aut", "des (0, 1, 2)\n(0, \"a\", 1)\n");
    RefineAnswer answer = ask({.specification = "f.csp:SPEC", .implementation = "m.aut"});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_FALSE(answer.ends_compared);
}

TEST_F(Refine, AnUnknownProcessIsReportedAndNothingCompared) {
    RefineAnswer answer = ask({.specification = "f.csp:NONE", .implementation = "f.csp:LAZY"});
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.compared);
    EXPECT_GT(answer.diagnostics.errors(), 0u);
}

TEST(SplitProcess, TheNameFollowsTheExtension) {
    EXPECT_EQ(split_process("a:b/f.csp:COUNT(0)").file, "a:b/f.csp");
    EXPECT_EQ(split_process("a:b/f.csp:COUNT(0)").name, "COUNT(0)");
    EXPECT_EQ(split_process("f.csp").name, "");
}

}  // namespace
}  // namespace treaty::api::refine_test
