#include "api/test_campaigns.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/inquiry.h"
#include "base/suggest.h"
#include "base/wording.h"
#include "formats/codes.h"

namespace treaty::api {
namespace {

std::optional<ProjectFile> load_project(const Inquiry& inquiry, const std::string& path) {
    auto text = inquiry.workspace.read(path);
    if (!text) {
        inquiry.report(formats::codes::unreadable, text.error());
        return std::nullopt;
    }
    base::FileId file = inquiry.sources().add(path, std::move(*text));
    return read_project_file(file, inquiry.sources(), inquiry.diagnostics());
}

// The campaigns of these names, in the order of the file; none after reporting a name that there is not.
std::vector<const Campaign*> choose(const Inquiry& inquiry, const ProjectFile& project,
                                    const std::string& path, const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    for (const Campaign& one : project.campaigns) known.push_back(one.name);
    bool all_known = true;
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        all_known = false;
        std::string_view meant = base::nearest(name, known);
        inquiry.report(codes::no_such_campaign, fmt::format("{} has no campaign {}", path, name))
            .help(meant.empty() ? fmt::format("campaigns are {}", fmt::join(known, ", "))
                                : fmt::format("did you mean {}?", meant));
    }
    std::vector<const Campaign*> chosen;
    for (const Campaign& one : project.campaigns)
        if (all_known && (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end()))
            chosen.push_back(&one);
    return chosen;
}

// The setting that a diagnostic is about: "--via x: ..." is about `via`. Empty if that is not known.
std::string_view setting_of(const base::Diagnostic& diagnostic, const Campaign& campaign) {
    std::string_view message = diagnostic.message;
    if (message.starts_with("--")) return message.substr(2, message.find_first_of(" :") - 2);
    bool of_role = diagnostic.code == &codes::no_such_role;
    return !of_role ? "" : message.ends_with(" " + campaign.settings.cut.value_or("")) ? "cut" : "play";
}

// Every diagnostic has a place: that of the setting it is about, if the file has it, else that of the
// campaign. given: the settings that are not from the file.
base::Diagnostics with_places(const base::Diagnostics& diagnostics, const Campaign& campaign,
                              const TestSettings& given) {
    base::Diagnostics placed;
    for (const base::Diagnostic& one : diagnostics.all()) {
        std::string_view setting = setting_of(one, campaign);
        auto found = has(given, setting) ? campaign.spans.end() : campaign.spans.find(setting);
        base::Span in_file = found == campaign.spans.end() ? campaign.span : found->second;
        base::Span span = one.span.valid() ? one.span : in_file;
        base::Diagnostic& same = placed.report(*one.code, one.severity, span, one.message);
        same.labels = one.labels;
        same.hint = one.hint;
    }
    return placed;
}

class Campaigns {
public:
    Campaigns(const Inquiry& inquiry, const TestCampaignsQuestion& question, TestCampaignsAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void run(const Campaign& campaign) {
        CampaignAnswer& result = answer_.campaigns.emplace_back();
        result.name = campaign.name;
        result.settings = replaced(campaign.settings, for_campaign(question_.settings, campaign.name));
        result.question = question_of(result.settings);
        result.question.component = question_.component;
        if (inquiry_.context.deadline.passed())
            leave_out(result.answer);
        else
            result.answer = test_component(inquiry_.workspace, result.question, context_of(result.settings));
        result.answer.diagnostics = with_places(result.answer.diagnostics, campaign, question_.settings);
        if (question_.completed) question_.completed(result);
        inquiry_.diagnostics().append(base::Diagnostics(result.answer.diagnostics));
    }

    void conclude() const {
        std::string failed = names(Verdict::fails), undecided = names(Verdict::undecided),
                    not_run = names(std::nullopt);
        if (!failed.empty()) return inquiry_.fails(some(Verdict::fails, "failed: " + failed));
        if (!not_run.empty()) {
            auto bad_input = [](const CampaignAnswer& one) {
                return !one.answer.verdict && !one.answer.environment_failed;
            };
            answer_.reason = some(std::nullopt, "without a verdict: " + not_run);
            answer_.environment_failed =
                std::none_of(answer_.campaigns.begin(), answer_.campaigns.end(), bad_input);
            return;
        }
        if (!undecided.empty())
            return inquiry_.undecided(some(Verdict::undecided, "undecided: " + undecided));
        inquiry_.holds(base::counted(answer_.campaigns.size(), "campaign") + " passed");
    }

private:
    void leave_out(TestAnswer& answer) const {
        base::StopReason why = inquiry_.context.deadline.reason();
        answer.verdict = Verdict::undecided;
        answer.reason = why == base::StopReason::time ? "not run: the time was up" : "not run: interrupted";
        answer.bound.stopped(why);
    }

    Context context_of(const TestSettings& settings) const {
        Context context = inquiry_.context;
        context.seed = settings.seed.value_or(context.seed);
        if (settings.limit_time) {
            context.deadline = context.deadline.part(*settings.limit_time);
            context.time_limited = true;
        }
        return context;
    }

    std::size_t count(std::optional<Verdict> verdict) const {
        return static_cast<std::size_t>(
            std::count_if(answer_.campaigns.begin(), answer_.campaigns.end(),
                          [&](const CampaignAnswer& one) { return one.answer.verdict == verdict; }));
    }

    std::string names(std::optional<Verdict> verdict) const {
        std::string list;
        for (const CampaignAnswer& one : answer_.campaigns)
            if (one.answer.verdict == verdict) list += (list.empty() ? "" : ", ") + one.name;
        return list;
    }

    std::string some(std::optional<Verdict> verdict, std::string_view what) const {
        return fmt::format("{} of {} {}", count(verdict), base::counted(answer_.campaigns.size(), "campaign"),
                           what);
    }

    const Inquiry& inquiry_;
    const TestCampaignsQuestion& question_;
    TestCampaignsAnswer& answer_;
};

}  // namespace

TestCampaignsAnswer test_campaigns(const Workspace& workspace, const TestCampaignsQuestion& question,
                                   const Context& context) {
    TestCampaignsAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto project = load_project(inquiry, question.file);
    if (!project) return answer;
    auto chosen = choose(inquiry, *project, question.file, question.campaigns);
    if (chosen.empty()) return answer;
    answer.junit = question.settings.junit ? question.settings.junit : project->junit;
    Campaigns campaigns(inquiry, question, answer);
    for (const Campaign* one : chosen) campaigns.run(*one);
    campaigns.conclude();
    return answer;
}

}  // namespace treaty::api
