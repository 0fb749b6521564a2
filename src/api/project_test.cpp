#include "api/project.h"

#include <gtest/gtest.h>

namespace treaty::api::project_test {
namespace {

constexpr const char* withdraw = R"(
protocol Withdraw(C, A, B) {
  C -> A: withdraw
  A -> B: auth
  choice at B {
    B -> A: deny
    A -> C: bye
  } or {
    B -> A: allow
    A -> C: money
  }
}
)";

ProjectQuestion about(std::string roles) {
    ProjectQuestion question;
    question.file = "p.treaty";
    question.roles = std::move(roles);
    return question;
}

ProjectAnswer ask(const ProjectQuestion& question, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    return project(workspace, question, context);
}

TEST(Project, GivesTheMachineOfARole) {
    ProjectAnswer answer = ask(about("A"));
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.protocol, "Withdraw");
    ASSERT_TRUE(answer.machine);
    EXPECT_EQ(answer.machine->state_count(), 6U);
    EXPECT_EQ(answer.machine->edge_count(), 6U);
    EXPECT_FALSE(answer.machine_text);
    EXPECT_FALSE(answer.protocol_text);
}

TEST(Project, WritesWhatIsAskedFor) {
    ProjectQuestion question = about("A");
    question.machine_notation = "fsa";
    question.protocol_notation = "treaty";
    ProjectAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_TRUE(answer.machine_text);
    EXPECT_NE(answer.machine_text->find(".outputs A"), std::string::npos) << *answer.machine_text;
    ASSERT_TRUE(answer.protocol_text);
    EXPECT_NE(answer.protocol_text->find("protocol Withdraw(C, A, B)"), std::string::npos);
}

TEST(Project, AGroupHasNoFileOfOneMachinePerRole) {
    ProjectQuestion question = about("A,B");
    question.machine_notation = "fsa";
    ProjectAnswer answer = ask(question);
    EXPECT_TRUE(answer.machine);
    EXPECT_FALSE(answer.machine_text);
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
    question.machine_notation = "aut";
    EXPECT_TRUE(ask(question).machine_text);
}

TEST(Project, AnUnknownRoleOrNotationIsReported) {
    EXPECT_EQ(ask(about("X")).diagnostics.errors(), 1U);
    ProjectQuestion question = about("A");
    question.machine_notation = "";
    ProjectAnswer answer = ask(question);
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
}

TEST(Project, ALimitLeavesItUndecided) {
    Context context;
    context.states = 2;
    ProjectAnswer answer = ask(about("A"), context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.machine);
    EXPECT_FALSE(answer.bound.empty());
}

}  // namespace
}  // namespace treaty::api::project_test
