#include "api/adherence.h"

#include <gtest/gtest.h>

namespace treaty::api::adherence_test {
namespace {

AdherenceAnswer ask(const char* protocol, model::Mode mode = model::Mode::fifo) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", protocol);
    AdherenceQuestion question;
    question.file = "p.treaty";
    question.cut = "A";
    question.judge.channels.mode = mode;
    return adherence(workspace, question, {});
}

constexpr const char* two = R"(protocol Two(A, B, C) {
  A -> B: x
  A -> C: z
}
)";

TEST(Adherence, WhereNobodyCanTellAComponentThatIsWrongPasses) {
    AdherenceAnswer answer = ask(two);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(answer.wrong);
    EXPECT_EQ(answer.wrong->what, "A sends z to C where the protocol has A send x to B");
    EXPECT_EQ(answer.wrong->component.edge_count(), 2U);
    EXPECT_EQ(answer.wrong->with_roles.machines().size(), 3U);
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->failing, 0U);
}

TEST(Adherence, InStepEveryOrderIsSeen) {
    AdherenceAnswer answer = ask(two, model::Mode::sync);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.configurations, 3U);
    EXPECT_FALSE(answer.wrong);
}

TEST(Adherence, LaterRoundsOfALoopAreNotDecided) {
    AdherenceAnswer answer = ask(R"(protocol Loop(A, B) {
  repeat at A {
    A -> B: x
    B -> A: y
  }
  A -> B: z
}
)",
                                 model::Mode::sync);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.bound.empty());
}

TEST(Adherence, OneRoleIsAskedAbout) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", two);
    AdherenceQuestion question;
    question.file = "p.treaty";
    question.cut = "A,B";
    AdherenceAnswer answer = adherence(workspace, question, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
}

}  // namespace
}  // namespace treaty::api::adherence_test
