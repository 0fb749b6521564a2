// The component is a coroutine in this process, and all campaigns test it.
#include "api/test_campaigns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drive/in_process.h"

namespace treaty::api::test_campaigns_test {
namespace {

using testing::ElementsAre;

constexpr const char* yes = "protocol Yes(A, B) {\n  A -> B: ask\n  B -> A: yes\n}\n";
constexpr const char* no = "protocol No(A, B) {\n  A -> B: ask\n  B -> A: no\n}\n";
constexpr const char* broken = "protocol Broken(A, B) {\n  A -> C: ask\n}\n";

constexpr const char* project = R"(
[defaults]
cut = "B"
sessions = 3
store = ":memory:"

[[campaign]]
name = "right"
file = "yes.treaty"
seed = 5

[[campaign]]
name = "wrong"
file = "no.treaty"
)";

drive::InProcess::Program answering(std::string message) {
    return [message](drive::InProcess& here) -> drive::Task {
        return [](drive::InProcess& stage, std::string what) -> drive::Task {
            if (co_await stage.receive("A")) stage.send("A", "{\"message\": \"" + what + "\"}\n");
        }(here, message);
    };
}

struct Campaigns : testing::Test {
    Workspace workspace;
    TestCampaignsQuestion question;

    Campaigns() {
        workspace.set_overlay("yes.treaty", yes);
        workspace.set_overlay("no.treaty", no);
        workspace.set_overlay("broken.treaty", broken);
        workspace.set_overlay("treaty.toml", project);
        question.component.program = answering("yes");
    }
    TestCampaignsAnswer ask(const Context& context = {}) {
        return test_campaigns(workspace, question, context);
    }
    void add(const std::string& campaign) { workspace.set_overlay("treaty.toml", project + campaign); }
};

TEST_F(Campaigns, TheAnswerFailsIfOneCampaignDoes) {
    std::vector<std::string> seen;
    question.completed = [&](CampaignAnswer& one) { seen.push_back(one.name); };
    TestCampaignsAnswer answer = ask();
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.reason, "1 of 2 campaigns failed: wrong");
    EXPECT_THAT(seen, ElementsAre("right", "wrong"));
    ASSERT_EQ(answer.campaigns.size(), 2u);
    EXPECT_EQ(answer.campaigns[0].answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.campaigns[0].answer.seed, 5u);
    EXPECT_EQ(answer.campaigns[1].answer.verdict, Verdict::fails);
}

TEST_F(Campaigns, SomeOfThemCanBeChosen) {
    question.campaigns = {"right"};
    question.settings.seed = 9;
    TestCampaignsAnswer answer = ask();
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.reason, "1 campaign passed");
    ASSERT_EQ(answer.campaigns.size(), 1u);
    EXPECT_EQ(answer.campaigns[0].answer.seed, 9u) << "the question's settings come first";

    question.campaigns = {"rihgt"};
    answer = ask();
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.all().at(0).hint, "did you mean right?");
    EXPECT_TRUE(answer.campaigns.empty());
}

TEST_F(Campaigns, OneThatCannotBeRunDoesNotKeepTheOthersFromRunning) {
    add("[[campaign]]\nname = \"broken\"\nfile = \"broken.treaty\"\n"
        "[[campaign]]\nname = \"nobody\"\nfile = \"yes.treaty\"\ncut = \"X\"\n");
    EXPECT_EQ(ask().verdict, Verdict::fails) << "a failure that was found counts most";
    question.campaigns = {"right", "broken", "nobody"};
    TestCampaignsAnswer answer = ask();
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
    EXPECT_EQ(answer.reason, "2 of 3 campaigns without a verdict: broken, nobody");
    EXPECT_EQ(answer.campaigns[0].answer.verdict, Verdict::holds);
    const base::Diagnostic& fault = answer.campaigns[2].answer.diagnostics.all().at(0);
    EXPECT_EQ(workspace.sources().begin(fault.span).line, 21u) << "the role under test";
}

TEST_F(Campaigns, WhatTheCallerCouldNotWriteLeavesTheCampaignWithoutAVerdict) {
    question.campaigns = {"right"};
    question.completed = [](CampaignAnswer& one) {
        one.answer.verdict.reset();
        one.answer.environment_failed = true;
    };
    EXPECT_EQ(ask().exit(), base::Exit::world_failed);
}

TEST_F(Campaigns, ThoseThatAreLeftWhenTheTimeIsUpAreUndecided) {
    base::StopSource stop;
    Context context;
    context.deadline = context.deadline.with(stop.token());
    add("[[campaign]]\nname = \"last\"\nfile = \"yes.treaty\"\n");
    question.campaigns = {"right", "last"};
    question.completed = [&](CampaignAnswer&) { stop.request(); };
    TestCampaignsAnswer answer = ask(context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_EQ(answer.reason, "1 of 2 campaigns undecided: last");
    EXPECT_EQ(answer.campaigns[1].answer.reason, "not run: interrupted");
}

TEST_F(Campaigns, AProjectFileThatIsNotThereIsBadInput) {
    question.file = "no/such.toml";
    TestCampaignsAnswer answer = ask();
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
    EXPECT_EQ(answer.diagnostics.errors(), 1u);
}

}  // namespace
}  // namespace treaty::api::test_campaigns_test
