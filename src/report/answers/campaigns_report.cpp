#include "report/answers/campaigns_report.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/render_diagnostics.h"

namespace treaty::report {

std::string print_campaign(const api::CampaignAnswer& campaign, const Own& own, const draw::Style& style) {
    std::string title = fmt::format("campaign {}", base::printable(campaign.name));
    std::string text = to_terminal(campaign.answer, own, style);
    if (!campaign.answer.verdict)
        text += fmt::format("no verdict: {}\n", base::printable(first_error(campaign.answer.diagnostics)));
    return fmt::format("{}\n{}\n", draw::paint(style, draw::Ink::bold, title), text);
}

Json campaign_json(const api::CampaignAnswer& campaign, const Own& own, const base::SourceMap& sources) {
    Json json = {{"name", campaign.name}};
    Json envelope = to_json("test", campaign.answer, own, sources);
    for (auto& [field, value] : envelope.items())
        if (field != "treaty" && field != "verb") json[field] = std::move(value);
    return json;
}

}  // namespace treaty::report
