// The verdict on a component after a campaign without a failure.
//
// It holds if enough sessions were run, none of them could not be judged, something was sent, and at least
// one was completed. Everything else shows too little and is undecided.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/answer.h"
#include "api/program/tester_setup.h"
#include "campaign/campaign.h"

namespace treaty::api {

struct CampaignVerdict {
    Verdict verdict = Verdict::undecided;
    std::string reason;
    // With a confidence of 95 % a smaller part of such sessions fails. Only of sessions that are drawn alike:
    // others prove nothing about later ones.
    std::optional<double> failure_rate;
};

constexpr double confidence = 0.95;

// wanted: how many sessions there should have been. component: the name of its role.
CampaignVerdict judge(const campaign::CampaignResult& campaign, std::uint64_t wanted,
                      std::string_view component, Strategy strategy);

}  // namespace treaty::api
