#include "api/simulate.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace treaty::api::simulate_test {
namespace {

struct Simulated : testing::Test {
    Workspace workspace;
    SimulateQuestion question;
    std::vector<SimulateNews::Kind> news;

    Simulated() {
        workspace.set_overlay("ask.treaty", R"(
message ask(n: int) where n >= 0
message answer(n: int)
protocol Ask(A, B) {
  A -> B: ask(let n)
  B -> A: answer(n)
}
)");
        question.file = "ask.treaty";
        question.role = "B";
        question.via = {"stdio:"};
        question.think = std::chrono::milliseconds(1);
        question.tell = [this](const SimulateNews& one) { news.push_back(one.kind); };
    }

    bool told(SimulateNews::Kind kind) const {
        return std::find(news.begin(), news.end(), kind) != news.end();
    }
};

TEST_F(Simulated, AConversationThatEndsHolds) {
    question.command = R"(echo '{"message": "ask", "n": 7}'; read line)";
    SimulateAnswer answer = simulate(workspace, question, {});
    EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    ASSERT_TRUE(answer.witness);
    ASSERT_EQ(answer.witness->events.size(), 2u);
    EXPECT_EQ(model::print(answer.witness->events[1]), "B -> A: answer(n = 7)");
    EXPECT_TRUE(told(SimulateNews::Kind::meets));
    EXPECT_TRUE(told(SimulateNews::Kind::connected));
    EXPECT_TRUE(told(SimulateNews::Kind::sent));
    EXPECT_EQ(news.back(), SimulateNews::Kind::over);
}

TEST_F(Simulated, WhatIsNotAllowedIsRefusedAndFails) {
    question.command = R"(echo '{"message": "ask", "n": -1}'; echo '{"message": "ask", "n": 7}'; read line)";
    SimulateAnswer answer = simulate(workspace, question, {});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.refused, 1u);
    EXPECT_TRUE(told(SimulateNews::Kind::refused));
}

TEST_F(Simulated, NothingIsPlayedWhenItIsStoppedBefore) {
    question.command = "cat";
    base::StopSource stop;
    stop.request();
    Context context;
    context.deadline = context.deadline.with(stop.token());
    SimulateAnswer answer = simulate(workspace, question, context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_TRUE(answer.sessions->empty());
}

TEST_F(Simulated, OneRoleIsPlayed) {
    question.role = "A,B";
    SimulateAnswer answer = simulate(workspace, question, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.sessions);
}

}  // namespace
}  // namespace treaty::api::simulate_test
