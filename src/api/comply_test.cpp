#include "api/comply.h"

#include <gtest/gtest.h>

#include "api/testing/withdraw.h"
#include "api/tests.h"

namespace treaty::api::comply_test {
namespace {

// Never pays.
constexpr const char* mean = R"(.outputs C
.state graph
.marking q0
.end
.outputs A
.state graph
q0 0 ? withdraw q1
q1 2 ! authW q2
q2 2 ? deny q3
q2 2 ? allow q3
q3 0 ! bye q4
.marking q0
.end
.outputs B
.state graph
.marking q0
.end
)";

class Comply : public testing::Test {
protected:
    Comply() {
        workspace_.set_overlay("p.treaty", withdraw);
        workspace_.set_overlay("mean.fsa", mean);
    }

    ComplyQuestion about(const char* machine, const char* with) const {
        ComplyQuestion question;
        question.machine = machine;
        question.tests = with;
        question.cut = "A";
        return question;
    }

    // As a file would hold them.
    void save_tests(const char* name, TestKind kind) {
        TestsQuestion question;
        question.file = "p.treaty";
        question.cuts = "A";
        question.tests.kind = kind;
        TestsAnswer made = tests(workspace_, question, {});
        workspace_.set_overlay(name, tests_as_json(*made.roles.at(0).tests));
    }

    Workspace workspace_;
};

TEST_F(Comply, ARoleKeepsToItsOwnProtocol) {
    ComplyAnswer answer = comply(workspace_, about("p.treaty", "p.treaty"), {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.kind, TestKind::roles);
    EXPECT_EQ(answer.passed, 2U);
    EXPECT_EQ(answer.cases.size(), 2U);
    EXPECT_FALSE(answer.witness);
}

TEST_F(Comply, AFailureHasItsChoicesAndItsRunWithLines) {
    ComplyAnswer answer = comply(workspace_, about("mean.fsa", "p.treaty"), {});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.passed, 1U);
    EXPECT_EQ(answer.failed, 1U);
    const JudgedCase& failed = answer.cases.at(1);
    EXPECT_EQ(failed.number, Count(1));
    EXPECT_EQ(failed.choices, std::vector<std::string>{"B sends allow to A, not deny (line 8)"});
    EXPECT_EQ(failed.kind, testgen::FailureKind::refused);
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->events.front().message, "withdraw");
    EXPECT_EQ(answer.witness->events.front().line, 2U);
    EXPECT_EQ(answer.witness->events.back().message, "bye");
}

TEST_F(Comply, ByItselfNoRoleSeesIt) {
    ComplyQuestion question = about("mean.fsa", "p.treaty");
    question.judge.global = false;
    EXPECT_EQ(comply(workspace_, question, {}).verdict, Verdict::holds);
}

TEST_F(Comply, SavedTestsSayTheSame) {
    for (TestKind kind : {TestKind::roles, TestKind::dual}) {
        save_tests("saved.json", kind);
        ComplyQuestion question = about("mean.fsa", "saved.json");
        ComplyAnswer answer = comply(workspace_, question, {});
        EXPECT_EQ(answer.verdict, Verdict::fails) << to_string(kind);
        EXPECT_EQ(answer.kind, kind);
        EXPECT_EQ(answer.failed, 1U);
        EXPECT_EQ(answer.cases.at(1).choices.size(), 1U);
        question.machine = "p.treaty";
        EXPECT_EQ(comply(workspace_, question, {}).verdict, Verdict::holds) << to_string(kind);
    }
}

TEST_F(Comply, TestsOfAnotherRoleOrOfNothingAreFaults) {
    save_tests("saved.json", TestKind::roles);
    ComplyQuestion question = about("p.treaty", "saved.json");
    question.cut = "B";
    EXPECT_FALSE(comply(workspace_, question, {}).verdict);
    workspace_.set_overlay("none.json", R"({"tests": 1})");
    ComplyAnswer answer = comply(workspace_, about("p.treaty", "none.json"), {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
    EXPECT_FALSE(answer.kind);
}

TEST_F(Comply, AChannelOfNobodyIsAFault) {
    ComplyQuestion question = about("p.treaty", "p.treaty");
    question.judge.empty.emplace().emplace_back("A", "Z");
    EXPECT_FALSE(comply(workspace_, question, {}).verdict);
}

TEST_F(Comply, WhatWasNotLookedAtIsNotDecided) {
    base::StopSource stop;
    Context context;
    context.deadline = base::Deadline().with(stop.token());
    // Asked to stop when the second case begins.
    context.progress = [&](const Progress& progress) {
        if (std::get<CountProgress>(progress).done == 0) stop.request();
    };
    ComplyAnswer answer = comply(workspace_, about("p.treaty", "p.treaty"), context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_GE(answer.undecided, 1U);
    EXPECT_EQ(answer.passed + answer.undecided, 2U);
}

}  // namespace
}  // namespace treaty::api::comply_test
