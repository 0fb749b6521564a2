// The answer of `test` about several campaigns: each campaign as `test` reports it, under its name.
#pragma once

#include <string>

#include "api/test_campaigns.h"
#include "base/source.h"
#include "draw/style.h"
#include "report/json.h"
#include "report/result.h"

namespace treaty::report {

// One campaign on a terminal: its name, and what `test` prints; ends with an empty line. own: of its answer.
std::string print_campaign(const api::CampaignAnswer& campaign, const Own& own, const draw::Style& style);

// An entry of the field `campaigns`: the name, and the fields of the envelope of one test.
Json campaign_json(const api::CampaignAnswer& campaign, const Own& own, const base::SourceMap& sources);

}  // namespace treaty::report
