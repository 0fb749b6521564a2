#include "api/program/campaign_verdict.h"

#include <fmt/format.h>

#include "base/wording.h"

namespace treaty::api {
namespace {

std::string with_obstacle(std::string text, const std::string& obstacle) {
    return obstacle.empty() ? text : text + ": " + obstacle;
}

std::string passed(const campaign::CampaignResult& campaign, std::string_view component) {
    std::string text = fmt::format("{} passed {}", component, base::counted(campaign.completed, "session"));
    if (campaign.unfinished > 0)
        text += with_obstacle(fmt::format("; {} unfinished", campaign.unfinished), campaign.obstacle);
    return text;
}

}  // namespace

CampaignVerdict judge(const campaign::CampaignResult& campaign, std::uint64_t wanted,
                      std::string_view component, Strategy strategy) {
    std::string until = campaign.time_up ? "; the time limit was reached" : "";
    bool enough = campaign.sessions == wanted || campaign.coverage_reached || campaign.time_up;
    if (campaign.unjudged) return {Verdict::undecided, campaign.unjudged->reason, {}};
    if (campaign.sessions > 0 && campaign.nothing_sent == campaign.sessions)
        return {Verdict::undecided,
                campaign.obstacle.empty() ? "nothing was sent in any session"
                                          : "nothing could be sent in any session: " + campaign.obstacle,
                {}};
    if (!enough) return {Verdict::undecided, "stopped before all sessions were run; no failure so far", {}};
    if (campaign.completed == 0)
        return {Verdict::undecided, with_obstacle("no session was completed", campaign.obstacle) + until, {}};
    CampaignVerdict result{Verdict::holds, passed(campaign, component) + until, {}};
    if (strategy == Strategy::random || strategy == Strategy::profile)
        result.failure_rate = campaign::failure_bound(campaign.completed, confidence);
    return result;
}

}  // namespace treaty::api
