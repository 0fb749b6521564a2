// Components are coroutines in this process and the store is in memory: nothing is started, nothing is on a
// disk.
#include "api/test_component.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/replay.h"
#include "drive/in_process.h"

namespace treaty::api::test_component_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* ask = R"(
protocol Ask(A, B) {
  A -> B: ask
  choice at B {
    B -> A: yes
  } or {
    B -> A: no
  }
}
)";

drive::InProcess::Program answering(std::string message) {
    return [message](drive::InProcess& here) -> drive::Task {
        return [](drive::InProcess& stage, std::string what) -> drive::Task {
            if (co_await stage.receive("A")) stage.send("A", "{\"message\": \"" + what + "\"}\n");
        }(here, message);
    };
}

TestQuestion question(std::string answer) {
    TestQuestion question;
    question.test.file = "ask.treaty";
    question.test.cut = "B";
    question.component.program = answering(std::move(answer));
    question.sessions = 5;
    question.store = ":memory:";
    return question;
}

struct Asked : testing::Test {
    Workspace workspace;
    Asked() { workspace.set_overlay("ask.treaty", ask); }
};

TEST_F(Asked, AComponentThatAnswersPasses) {
    TestAnswer answer = test_component(workspace, question("yes"), {});
    EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    EXPECT_EQ(answer.numbers->completed, 5u);
    EXPECT_TRUE(answer.findings->empty());
    ASSERT_TRUE(answer.coverage);
    EXPECT_EQ(answer.coverage->covered, 2u);
    ASSERT_EQ(answer.coverage->unseen.size(), 1u);
    const UnseenStep& step = answer.coverage->unseen.front();
    EXPECT_EQ(step.step, "B -> A: no");
    EXPECT_EQ(step.line, 7u);
    EXPECT_EQ(step.decider, "B");
    EXPECT_TRUE(step.up_to_component);
}

TEST_F(Asked, AWrongAnswerIsTheWitnessAndItsSavedRunFailsAgain) {
    TestAnswer answer = test_component(workspace, question("ask"), {});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_EQ(answer.findings->size(), 1u);
    const TestFinding& finding = answer.findings->front();
    EXPECT_EQ(finding.problem, drive::Problem::unexpected_message);
    EXPECT_EQ(finding.number, 1) << "it is kept";
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->events.size(), 2u);
    EXPECT_EQ(finding.expected.size(), 2u);

    workspace.set_overlay("run.json", finding.saved);
    ReplayQuestion again;
    again.run = "run.json";
    again.component.program = answering("ask");
    EXPECT_EQ(replay(workspace, again, {}).verdict, Verdict::fails);
    again.component.program = answering("no");
    ReplayAnswer fixed = replay(workspace, again, {});
    EXPECT_EQ(fixed.verdict, Verdict::holds);
    EXPECT_THAT(fixed.reason, HasSubstr("FIXED"));
}

// With several sessions at once, the observer is still called one at a time, in an order that makes sense.
TEST_F(Asked, ACampaignIsObservedWhileItRuns) {
    for (std::uint64_t parallel : {1u, 4u}) {
        TestQuestion observed = question("ask");
        observed.test.parallel = parallel;
        observed.keep_going = true;
        observed.details = true;
        observed.sessions = 12;
        std::vector<std::uint64_t> seen;
        std::vector<std::string> found;
        observed.observer.seen = [&](const TestDetails& details) {
            std::uint64_t sum = 0;
            for (const TestedState& state : details.states)
                for (const TestedState::Edge& edge : state.edges) sum += edge.seen;
            seen.push_back(sum);
            EXPECT_THAT(to_dot_of_steps(details), HasSubstr("step-2"));
        };
        observed.observer.found = [&](const TestFinding& finding) {
            found.push_back(finding.reason);
            EXPECT_EQ(finding.run.events.size(), 2u);
        };
        TestAnswer answer = test_component(workspace, observed, {});
        ASSERT_GE(seen.size(), 2u);
        EXPECT_EQ(seen.front(), 0u);
        EXPECT_GT(seen.back(), 0u);
        ASSERT_EQ(answer.findings->size(), 1u);
        EXPECT_THAT(found, ElementsAre(answer.findings->front().reason));
        ASSERT_EQ(answer.records.size(), 12u);
        for (std::size_t i = 0; i < answer.records.size(); ++i) {
            const TestedSession& one = answer.records[i];
            EXPECT_EQ(one.number, i);
            EXPECT_TRUE(one.failed);
            EXPECT_EQ(one.outcome, "unexpected message");
            EXPECT_EQ(one.messages, 2u);
            EXPECT_GT(one.sent_bytes, 0u);
            EXPECT_EQ(one.received_bytes, std::string("{\"message\": \"ask\"}\n").size());
        }
    }
}

TEST_F(Asked, WhetherTheProtocolHasChangedSinceARunWasSavedIsKnown) {
    TestAnswer answer = test_component(workspace, question("ask"), {});
    workspace.set_overlay("run.json", answer.findings->front().saved);
    workspace.set_overlay("ask.treaty", "protocol Ask(A, B) { A -> B: ask  B -> A: ask }");
    ReplayQuestion again;
    again.run = "run.json";
    again.component.program = answering("ask");
    ReplayAnswer replayed = replay(workspace, again, {});
    EXPECT_EQ(replayed.verdict, Verdict::holds) << replayed.reason;
    EXPECT_TRUE(replayed.run->protocol_changed);
    EXPECT_THAT(replayed.reason, Not(HasSubstr("FIXED")));
}

TEST(TestComponent, SeveralSessionsAtOnceReadTheFileOnce) {
    std::atomic<int> reads = 0;
    Workspace workspace([&](const std::string&) {
        ++reads;
        return base::Result<std::string>(std::string(ask));
    });
    TestQuestion four = question("yes");
    four.test.parallel = 4;
    four.sessions = 12;
    TestAnswer answer = test_component(workspace, four, {});
    EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    EXPECT_EQ(answer.numbers->sessions, 12u);
    EXPECT_EQ(reads, 1);
}

TEST_F(Asked, AStopTokenEndsIt) {
    base::StopSource stop;
    stop.request();
    Context context;
    context.deadline = context.deadline.with(stop.token());
    TestAnswer answer = test_component(workspace, question("yes"), context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_EQ(answer.numbers->sessions, 0u);
    EXPECT_FALSE(answer.coverage);
}

TEST_F(Asked, ProgressIsReported) {
    std::vector<std::uint64_t> seen;
    Context context;
    context.progress = [&](const Progress& progress) {
        seen.push_back(std::get<CampaignProgress>(progress).session);
    };
    test_component(workspace, question("yes"), context);
    EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(Asked, WhatDoesNotFitIsADiagnostic) {
    TestQuestion unknown = question("yes");
    unknown.test.cut = "C";
    TestAnswer answer = test_component(workspace, unknown, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.numbers);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
    TestQuestion no_profile = question("yes");
    no_profile.test.strategy = Strategy::profile;
    EXPECT_EQ(test_component(workspace, no_profile, {}).exit(), base::Exit::bad_input);
}

TEST_F(Asked, DetailsHaveTheLinesAndTheMachine) {
    TestQuestion with_details = question("yes");
    with_details.details = true;
    TestAnswer answer = test_component(workspace, with_details, {});
    ASSERT_TRUE(answer.details);
    ASSERT_GE(answer.details->lines.size(), 7u);
    EXPECT_EQ(answer.details->lines[4].seen, 5u) << answer.details->lines[4].text;
    EXPECT_EQ(answer.details->lines[6].seen, 0u);
    EXPECT_EQ(answer.details->states.size(), 3u);
    EXPECT_THAT(to_dot(*answer.details), HasSubstr("class=unseen"));
}

}  // namespace
}  // namespace treaty::api::test_component_test
