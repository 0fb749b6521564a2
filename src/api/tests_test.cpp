#include "api/tests.h"

#include <gtest/gtest.h>

#include "api/program/abstract_tests.h"
#include "api/testing/withdraw.h"
#include "base/limits.h"

namespace treaty::api::tests_test {
namespace {

// Pays when the bank denies.
constexpr const char* swapped = R"(.outputs C
.state graph
.marking q0
.end
.outputs A
.state graph
q0 0 ? withdraw q1
q1 2 ! authW q2
q2 2 ? deny q3
q2 2 ? allow q4
q3 0 ! money q5
q4 0 ! bye q5
.marking q0
.end
.outputs B
.state graph
.marking q0
.end
)";

// Too many cases to be made: each round doubles them.
constexpr const char* many = R"(protocol Many(A, B) {
  rec L {
    choice at B {
      B -> A: more
      choice at B { B -> A: left } or { B -> A: right }
      continue L
    } or {
      B -> A: end
    }
  }
}
)";

TestsQuestion about(const char* file, const char* cuts) {
    TestsQuestion question;
    question.file = file;
    question.cuts = cuts;
    return question;
}

TEST(Tests, EveryCaseFixesAChoiceOfTheOtherRolesAndIsSuitable) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    TestsAnswer answer = tests(workspace, about("p.treaty", "A,B"), {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.total, Count(3));
    ASSERT_EQ(answer.roles.size(), 2U);
    EXPECT_EQ(answer.roles[0].count, 2);
    ASSERT_TRUE(answer.roles[0].tests);
    EXPECT_EQ(answer.roles[0].tests->choices[0],
              std::vector<std::string>{"B sends deny to A, not allow (line 5)"});
    ASSERT_TRUE(answer.roles[0].unsuitable);
    EXPECT_EQ(*answer.roles[0].unsuitable, (std::vector<std::string>{"", ""}));
    EXPECT_TRUE(answer.machines.empty());
}

TEST(Tests, ManyCasesAreCountedButNotMade) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", many);
    TestsQuestion question = about("p.treaty", "A");
    question.tests.times = 40;
    EXPECT_FALSE(tests(workspace, question, {}).verdict);
    question.count_only = true;
    TestsAnswer answer = tests(workspace, question, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.total, Count("2199023255551"));
    EXPECT_FALSE(answer.roles[0].tests);
    question.count_only = false;
    question.sample = 3;
    answer = tests(workspace, question, {});
    EXPECT_EQ(answer.roles[0].tests->cases.size(), 3U);
}

TEST(Tests, OtherMachinesAreRunWithTheCases) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    workspace.set_overlay("swapped.fsa", swapped);
    TestsQuestion question = about("p.treaty", "A");
    question.check = true;
    question.against = {"A=swapped.fsa"};
    TestsAnswer answer = tests(workspace, question, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.machines.size(), 2U);
    EXPECT_EQ(answer.machines[0].component, "projection");
    EXPECT_EQ(answer.machines[0].failed, 0U);
    EXPECT_EQ(answer.machines[1].component, "swapped.fsa");
    EXPECT_EQ(answer.machines[1].failed, 2U);
    EXPECT_FALSE(answer.witness);
}

TEST(Tests, AMachineOfARoleThatIsNotTestedIsAFault) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    TestsQuestion question = about("p.treaty", "A");
    question.against = {"B=swapped.fsa"};
    TestsAnswer answer = tests(workspace, question, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
}

TEST(Tests, OrderedByCoverageNoCaseCoversLessThanTheOneBefore) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    TestsQuestion question = about("p.treaty", "A");
    question.by_coverage = true;
    TestsAnswer answer = tests(workspace, question, {});
    ASSERT_EQ(answer.roles[0].order.size(), 2U);
    EXPECT_LT(answer.roles[0].order[0].covered, answer.roles[0].order[1].covered);
    EXPECT_EQ(answer.roles[0].order[1].covered, answer.roles[0].transitions);
}

TEST(Tests, StoppedItIsUndecidedAndHasNoCases) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    base::StopSource stop;
    Context context;
    context.deadline = base::Deadline().with(stop.token());
    stop.request();
    TestsAnswer answer = tests(workspace, about("p.treaty", "A"), context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.bound.empty());
    for (const TestsOfRole& role : answer.roles) EXPECT_FALSE(role.tests);
}

TEST(AbstractTests, EachSessionHasACaseUntilThereAreNoMore) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", withdraw);
    Context context;
    Answer answer;
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, "p.treaty", "");
    ASSERT_TRUE(input);
    auto made = AbstractTests::make(inquiry, "p.treaty", "", input->specification.alphabet->find_role("A"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->size(), 2);
    EXPECT_EQ(made->choose(100, 0), 2U);
    EXPECT_EQ(made->choices(inquiry, 1), std::vector<std::string>{"B sends allow to A, not deny (line 8)"});
    EXPECT_FALSE(made->director(0)->succeeded());
}

}  // namespace
}  // namespace treaty::api::tests_test
