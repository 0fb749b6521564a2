// What a campaign came to, in words, as JSON, as a page and for CI systems.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/session.h"
#include "cli/tester_setup.h"
#include "drive/campaign.h"
#include "drive/shrink_run.h"
#include "report/html_page.h"

namespace treaty::cli {

// A finding, made small, and where it is kept.
struct Reported {
    drive::Finding finding;               // as it was found
    std::optional<drive::Shrunk> shrunk;  // none if that was not wanted
    std::string replay;                   // the command

    const drive::Outcome& outcome() const { return shrunk ? shrunk->outcome : finding.outcome; }
};

// Adds the findings: the first is the witness, the others follow in words.
void add_findings(Session& session, const ProtocolInput& input, model::RoleId cut,
                  const std::vector<Reported>& findings);

report::CampaignPage page_of(Session& session, const ProtocolInput& input, model::RoleId cut,
                             const TestRequest& request, const drive::CampaignResult& campaign,
                             const std::vector<Reported>& findings,
                             const std::vector<std::string>& never_seen);

// The end of what the component wrote to its standard error.
std::string last_lines(const std::string& errors);

}  // namespace treaty::cli
