#include "api/watch.h"

#include <gtest/gtest.h>

#include "api/testing/logs.h"

namespace treaty::api::watch_test {
namespace {

constexpr const char* shop = R"(
message req(n: int)
protocol Shop(buyer, vendor) {
  buyer -> vendor: req(let n)
  vendor -> buyer: offer
}
property Answered at buyer {
  after buyer -> vendor: req
  expect vendor -> buyer: offer
}
)";

constexpr const char* request =
    R"({"from": "buyer", "to": "vendor", "dir": "->", "message": "req", "data": {"n": 1}, "session": "1"})"
    "\n";
constexpr const char* offer =
    R"({"from": "vendor", "to": "buyer", "dir": "->", "message": "offer", "session": "1"})"
    "\n";

WatchAnswer ask(const std::string& log, WatchQuestion question = {}, const Context& context = {}) {
    LogFile file(log);
    Workspace workspace;
    workspace.set_overlay("shop.treaty", shop);
    question.file = "shop.treaty";
    question.logs = {file.path()};
    return watch(workspace, question, context);
}

TEST(Watch, TrafficThatConforms) {
    WatchAnswer answer = ask(std::string(request) + offer);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.counts.messages, 2u);
    EXPECT_EQ(answer.counts.sessions, 1u);
    ASSERT_EQ(answer.roles.size(), 2u);
    EXPECT_FALSE(answer.roles[0].conformance.failed);
    EXPECT_FALSE(answer.whole.incomplete);
    EXPECT_EQ(answer.interactions, 2u);
    EXPECT_TRUE(answer.missing.empty());
    ASSERT_EQ(answer.properties.size(), 1u);
    EXPECT_EQ(answer.properties[0].counts.pass, 1u);
}

TEST(Watch, ADeviationIsShownAsARun) {
    WatchAnswer answer = ask(std::string(request) + request);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_FALSE(answer.deviations.empty());
    EXPECT_EQ(answer.deviations[0].line, 2u);
    EXPECT_EQ(answer.deviations[0].session, "1");
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->failing, 1u);
    ASSERT_EQ(answer.missing.size(), 1u);
    EXPECT_EQ(answer.missing[0].interaction, "vendor -> buyer: offer");
    EXPECT_EQ(answer.missing[0].line, 5u);
}

TEST(Watch, WhatIsDueAtTheEndOfCompleteLogsNeverCame) {
    EXPECT_EQ(ask(request).verdict, Verdict::holds);
    WatchQuestion question;
    question.complete = true;
    WatchAnswer answer = ask(request, question);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_FALSE(answer.witness->failing);
}

// A log of something else must not pass for a right one.
TEST(Watch, NothingJudgedIsUndecided) {
    WatchAnswer answer = ask("this is not a log\n");
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.judged);
    EXPECT_EQ(answer.counts.garbled, 1u);
    ASSERT_EQ(answer.skipped.size(), 1u);
    EXPECT_EQ(answer.skipped[0].line, 1u);
    for (const WatchedRole& role : answer.roles) EXPECT_TRUE(role.conformance.lost);
}

TEST(Watch, ALogIsNeeded) {
    Workspace workspace;
    workspace.set_overlay("shop.treaty", shop);
    WatchQuestion question;
    question.file = "shop.treaty";
    EXPECT_FALSE(watch(workspace, question, {}).verdict);
    question.logs = {"no/such/log"};
    EXPECT_FALSE(watch(workspace, question, {}).verdict);
}

TEST(Watch, ProgressComesAtLeastOnceAndEndsWithTheLast) {
    std::vector<WatchProgress> told;
    Context context;
    context.progress = [&](const Progress& p) { told.push_back(std::get<WatchProgress>(p)); };
    ask(std::string(request) + request, {}, context);
    ASSERT_FALSE(told.empty());
    EXPECT_TRUE(told.back().last);
    EXPECT_EQ(told.back().live, 0u);
    EXPECT_EQ(told.back().ended, 1u);
    EXPECT_EQ(told.back().failed, 1u);
}

TEST(Watch, FollowingIsEndedByTheContext) {
    base::StopSource stop;
    Context context;
    context.deadline = context.deadline.with(stop.token());
    context.progress = [&](const Progress& p) {
        if (std::get<WatchProgress>(p).messages == 2) stop.request();
    };
    WatchQuestion question;
    question.follow = true;
    WatchAnswer answer = ask(std::string(request) + offer, question, context);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.counts.messages, 2u);
}

TEST(Watch, CountersAreServedAtAFreePort) {
    WatchQuestion question;
    question.metrics = "127.0.0.1:0";
    std::uint16_t port = 0;
    question.serving = [&](std::uint16_t p) { port = p; };
    EXPECT_EQ(ask(std::string(request) + offer, question).verdict, Verdict::holds);
    EXPECT_NE(port, 0);
    question.metrics = "nowhere";  // not an address at all
    EXPECT_EQ(ask(request, question).exit(), base::Exit::bad_input);
}

// Only what changes verdicts must be the same when a watch goes on.
TEST(Watch, AStateBelongsToItsQuestion) {
    LogFile log(request), state("");
    std::remove(state.path().c_str());
    Workspace workspace;
    workspace.set_overlay("shop.treaty", shop);
    WatchQuestion question;
    question.file = "shop.treaty";
    question.logs = {log.path()};
    question.state = state.path();
    EXPECT_EQ(watch(workspace, question, {}).verdict, Verdict::holds);
    question.idle = std::chrono::seconds(1);
    WatchAnswer again = watch(workspace, question, {});
    EXPECT_EQ(again.verdict, Verdict::holds);
    EXPECT_EQ(again.counts.messages, 1u);
    question.expire = std::chrono::seconds(1);
    EXPECT_FALSE(watch(workspace, question, {}).verdict);
    question.expire = {};
    workspace.set_overlay("shop.treaty", std::string(shop) + "message more");
    EXPECT_FALSE(watch(workspace, question, {}).verdict);
}

}  // namespace
}  // namespace treaty::api::watch_test
