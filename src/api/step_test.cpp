#include "api/step.h"

#include <gtest/gtest.h>

#include "api/program/saved_run.h"

namespace treaty::api::step_test {
namespace {

constexpr const char* shop =
    "message offer(price: int in 0..9)\n"
    "protocol Shop(buyer, vendor) {\n"
    "  vendor -> buyer: offer(let p) where p > 3\n"
    "  choice at buyer {\n"
    "    buyer -> vendor: buy\n"
    "  } or {\n"
    "    buyer -> vendor: leave\n"
    "  }\n"
    "}\n";

class Step : public testing::Test {
protected:
    Step() { workspace.set_overlay("shop.treaty", shop); }
    StepStart ask(StepQuestion question) { return begin_walk(workspace, question, context); }

    Workspace workspace;
    Context context;
};

TEST_F(Step, AWalkTakesWhatIsEnabledWithValuesThatSuit) {
    StepStart start = ask({.file = "shop.treaty"});
    ASSERT_TRUE(start.session);
    StepSession& walk = *start.session;
    EXPECT_EQ(walk.title(), "Shop");
    auto enabled = walk.enabled();
    ASSERT_EQ(enabled.size(), 1u);
    EXPECT_EQ(model::print(enabled[0].event), "vendor -> buyer: offer");
    EXPECT_EQ(enabled[0].event.line, 3u);
    ASSERT_EQ(enabled[0].fields.size(), 1u);
    EXPECT_EQ(enabled[0].fields[0].name, "price");
    EXPECT_FALSE(enabled[0].fields[0].fixed);
    EXPECT_FALSE(walk.take(0, {expr::Value(std::int64_t{2})}));
    EXPECT_EQ(walk.events_taken(), 0u);
    EXPECT_TRUE(walk.take(0, {expr::Value(std::int64_t{7})}));
    EXPECT_EQ(model::print(walk.last_event()), "vendor -> buyer: offer(price = 7)");
    EXPECT_EQ(walk.enabled().size(), 2u);
}

TEST_F(Step, AWalkIsATestOfOneRole) {
    workspace.set_overlay(
        "three.treaty",
        "message n(x: int)\nprotocol Three(a, b, c) {\n  a -> b: n(let x)\n  b -> c: go\n  b -> a: n(x)\n"
        "  a -> b: bye\n}\n");
    StepStart start = ask({.file = "three.treaty"});
    ASSERT_TRUE(start.session);
    ASSERT_TRUE(start.session->take(0, {expr::Value(std::int64_t{7})}));
    while (start.session->take_random()) {
    }
    TestRequest request;
    request.file = "three.treaty";
    request.command = "run-b";
    request.cut = "d";
    EXPECT_FALSE(start.session->as_test(request));
    request.cut = "b";
    auto text = start.session->as_test(request);
    ASSERT_TRUE(text) << text.error();
    Answer answer;
    Inquiry inquiry(workspace, context, answer);
    auto saved = parse_saved(inquiry, "walk", *text);
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->request.protocol, "Three");
    EXPECT_EQ(saved->request.command, "run-b");
    ASSERT_EQ(saved->exchanges.size(), 4u);
    EXPECT_EQ(saved->exchanges[0].message, "n");
    EXPECT_EQ(std::get<std::int64_t>(saved->exchanges[0].data.at(0).v), 7);
    EXPECT_EQ(saved->exchanges[1].to, "c");
    EXPECT_EQ(saved->exchanges[3].message, "bye");
    EXPECT_EQ(saved->exchanges[3].awaited, 2u);  // go and n were received before
    StepStart channels = ask({.file = "three.treaty", .mode = model::Mode::fifo});
    ASSERT_TRUE(channels.session);
    EXPECT_FALSE(channels.session->as_test(request));
}

TEST_F(Step, BackRestoresWhatWasThere) {
    StepStart start = ask({.file = "shop.treaty"});
    StepSession& walk = *start.session;
    EXPECT_FALSE(walk.back());
    ASSERT_TRUE(walk.take_random());
    EXPECT_TRUE(walk.back());
    EXPECT_EQ(walk.events_taken(), 0u);
    EXPECT_EQ(walk.enabled().size(), 1u);
}

TEST_F(Step, TheSameSeedTakesTheSameWalk) {
    context.seed = 7;
    StepStart one = ask({.file = "shop.treaty"}), other = ask({.file = "shop.treaty"});
    while (one.session->take_random()) other.session->take_random();
    ASSERT_EQ(one.session->events_taken(), 2u);
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(model::print(one.session->run().events[i]), model::print(other.session->run().events[i]));
}

TEST_F(Step, TheAnswerSaysWhereTheWalkWasLeft) {
    StepStart start = ask({.file = "shop.treaty"});
    EXPECT_EQ(end_walk(start).reason, "stopped after 0 events");
    while (start.session->take_random()) continue;
    StepAnswer answer = end_walk(start);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.standing, step::Standing::over);
    EXPECT_EQ(answer.run.events.size(), 2u);
    EXPECT_EQ(answer.inputs, std::vector<std::string>{"shop.treaty"});
}

TEST_F(Step, OverChannelsSendingAndReceivingAreTwoEvents) {
    StepStart start = ask({.file = "shop.treaty", .mode = model::Mode::fifo});
    ASSERT_TRUE(start.session);
    EXPECT_EQ(start.session->title(), "Shop, data ignored, channels fifo");
    ASSERT_TRUE(start.session->take(0, {}));
    EXPECT_EQ(start.session->where().size(), 1u);
    ASSERT_TRUE(start.session->take(0, {}));
    EXPECT_TRUE(start.session->where().empty());
}

TEST_F(Step, TheTextMarksTheLinesThatCanComeNext) {
    StepStart start = ask({.file = "shop.treaty"});
    ASSERT_TRUE(start.session->take_random());
    std::vector<std::uint32_t> next;
    auto lines = start.session->text();
    for (const WalkedLine& line : lines)
        if (line.next) next.push_back(line.number);
    EXPECT_EQ(next, (std::vector<std::uint32_t>{5, 7}));
    EXPECT_EQ(lines.front().number, 2u);
    EXPECT_EQ(lines.back().number, 9u);
}

TEST_F(Step, OneRoleHasNoChannels) {
    StepStart start = ask({.file = "shop.treaty", .role = "buyer", .bound = 1});
    EXPECT_FALSE(start.session);
    EXPECT_EQ(start.diagnostics.errors(), 1u);
    EXPECT_FALSE(end_walk(start).verdict);
}

}  // namespace
}  // namespace treaty::api::step_test
