#include "api/program/campaign_verdict.h"

#include <gtest/gtest.h>

namespace treaty::api {
namespace {

campaign::CampaignResult campaign(std::uint64_t sessions, std::uint64_t completed) {
    campaign::CampaignResult result;
    result.sessions = sessions;
    result.completed = completed;
    result.unfinished = sessions - completed;
    return result;
}

TEST(CampaignVerdict, HoldsWhenEnoughSessionsWereCompleted) {
    CampaignVerdict verdict = judge(campaign(100, 100), 100, "server", Strategy::random);
    EXPECT_EQ(verdict.verdict, Verdict::holds);
    EXPECT_EQ(verdict.reason, "server passed 100 sessions");
    ASSERT_TRUE(verdict.failure_rate);
    EXPECT_NEAR(*verdict.failure_rate, 0.03, 0.001);
}

TEST(CampaignVerdict, TellsOfUnfinishedSessionsAndWhy) {
    campaign::CampaignResult result = campaign(3, 2);
    result.obstacle = "no data";
    EXPECT_EQ(judge(result, 3, "B", Strategy::random).reason, "B passed 2 sessions; 1 unfinished: no data");
}

TEST(CampaignVerdict, SaysNothingAboutSessionsToComeWhenTheseWereNotDrawnAlike) {
    for (Strategy strategy : {Strategy::coverage, Strategy::tests, Strategy::negative, Strategy::pairs})
        EXPECT_FALSE(judge(campaign(100, 100), 100, "server", strategy).failure_rate);
    EXPECT_TRUE(judge(campaign(100, 100), 100, "server", Strategy::profile).failure_rate);
}

TEST(CampaignVerdict, TooLittleIsUndecided) {
    EXPECT_EQ(judge(campaign(5, 5), 100, "B", Strategy::random).verdict, Verdict::undecided)
        << "stopped early";
    EXPECT_EQ(judge(campaign(5, 0), 5, "B", Strategy::random).reason, "no session was completed");
    campaign::CampaignResult silent = campaign(5, 5);
    silent.nothing_sent = 5;
    EXPECT_EQ(judge(silent, 5, "B", Strategy::random).reason, "nothing was sent in any session");
    campaign::CampaignResult unjudged = campaign(5, 4);
    unjudged.unjudged.emplace();
    unjudged.unjudged->reason = "lost track";
    EXPECT_EQ(judge(unjudged, 5, "B", Strategy::random).reason, "lost track");
}

TEST(CampaignVerdict, FewerSessionsAreEnoughWhenTheTimeIsUpOrAllWasSeen) {
    campaign::CampaignResult result = campaign(5, 5);
    result.time_up = true;
    EXPECT_EQ(judge(result, 100, "B", Strategy::random).reason,
              "B passed 5 sessions; the time limit was reached");
    result.time_up = false;
    result.coverage_reached = true;
    EXPECT_EQ(judge(result, 100, "B", Strategy::random).verdict, Verdict::holds);
}

}  // namespace
}  // namespace treaty::api
