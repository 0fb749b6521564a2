// test_campaigns: do the programs of a project conform to their protocols?
//
// A project file (api/campaigns/project_file.h) has campaigns; each is one question of api/test_component.h.
// They run one after the other, in the order of the file, and what is wrong with one does not keep the others
// from running. The answer fails if one campaign fails. Else it has no verdict if one has none; else it is
// undecided if one is; else it holds. When the time is up, or the work is interrupted, the campaigns that are
// left are undecided.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/campaigns/project_file.h"
#include "api/campaigns/test_settings.h"
#include "api/context.h"
#include "api/test_component.h"
#include "api/workspace.h"

namespace treaty::api {

struct CampaignAnswer {
    std::string name;
    TestSettings settings;  // as it was run
    TestQuestion question;  // likewise
    TestAnswer answer;      // diagnostics without a place have that of the setting, or of the campaign
};

struct TestCampaignsQuestion {
    std::string file = default_project_file;
    std::vector<std::string> campaigns;  // by name; empty: all
    TestSettings settings;               // instead of those of the file, for every campaign
    TestedComponent component;
    // Called after each campaign; may be empty. What it reports to the campaign's answer counts.
    std::function<void(CampaignAnswer&)> completed;
};

struct TestCampaignsAnswer : Answer {
    std::deque<CampaignAnswer> campaigns;  // those that were chosen, in the order of the file
    std::optional<std::string> junit;      // where a report on all of them is wanted
};

TestCampaignsAnswer test_campaigns(const Workspace& workspace, const TestCampaignsQuestion& question,
                                   const Context& context);

}  // namespace treaty::api
