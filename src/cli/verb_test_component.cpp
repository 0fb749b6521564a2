// The verb `test`; a file called verb_test.cpp would be one of unit tests.
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/test_campaigns.h"
#include "api/test_component.h"
#include "cli/command_line.h"
#include "cli/test_settings.h"
#include "cli/verbs.h"
#include "report/answers/campaigns_report.h"
#include "report/answers/test_report.h"

namespace treaty::cli {
namespace {

using api::TestSettings;

api::TestedComponent awaited_component() {
    api::TestedComponent component;
    component.waiting = [](const std::string& where, std::chrono::milliseconds at_most) {
        fmt::print(stderr, "treaty: {}\n", report::waiting_line(where, at_most));
    };
    return component;
}

// The first finding has the file's name, the others are numbered.
void save_runs(api::TestAnswer& answer, const TestSettings& settings) {
    if (!settings.save || !answer.findings) return;
    for (std::size_t i = 0; i < answer.findings->size(); ++i) {
        api::TestFinding& one = (*answer.findings)[i];
        std::string file =
            i == 0 ? *settings.save : api::before_extension(*settings.save, fmt::format("-{}", i + 1));
        if (Session::write(answer, file, one.saved)) one.file = file;
    }
}

// Writes the failing runs and their picture, and gives what is particular to the answer.
report::Own finish_test(Session& session, api::TestAnswer& answer, const TestSettings& settings) {
    save_runs(answer, settings);
    bool values = settings.values.value_or(false);
    report::Own own = report::own_part(answer, session.style(),
                                       values ? report::ValueClasses::shown : report::ValueClasses::left_out);
    if (answer.witness) session.draw_witness(answer, own, settings.output.value_or(""));
    return own;
}

int test_one(Session& session, const TestSettings& settings) {
    api::TestQuestion question = api::question_of(settings);
    question.component = awaited_component();
    api::TestAnswer answer = session.ask(api::test_component, question);
    report::Own own = finish_test(session, answer, settings);
    if ((settings.html || settings.junit) && answer.findings) {
        report::CampaignPage page = report::page_of(answer, question.test, session.context.deadline);
        page.invocation = api::command_of(settings, answer.seed);
        bool written = !settings.html || Session::write(answer, *settings.html, report::to_html(page));
        if (written && settings.junit)
            Session::write(answer, *settings.junit,
                           report::to_junit({report::junit_suite(page, answer.seconds)}));
    }
    return session.finish(answer, std::move(own));
}

// The campaigns of a project file: each is printed as soon as it is over.
class TestOfCampaigns {
public:
    explicit TestOfCampaigns(Session& session) : session_(session) {}

    int run(api::TestCampaignsQuestion question) {
        question.component = awaited_component();
        question.completed = [&](api::CampaignAnswer& one) { completed(one); };
        api::TestCampaignsAnswer answer = session_.ask(api::test_campaigns, question);
        if (answer.junit && !suites_.empty())
            Session::write(answer, *answer.junit, report::to_junit(suites_));
        report::Own own;
        own.fields["campaigns"] = std::move(campaigns_);
        return session_.finish(answer, std::move(own));
    }

private:
    void completed(api::CampaignAnswer& one) {
        report::Own own = finish_test(session_, one.answer, one.settings);
        add_pages(one);
        session_.print(report::print_campaign(one, own, session_.style()));
        campaigns_.push_back(report::campaign_json(one, own, session_.sources()));
    }

    void add_pages(api::CampaignAnswer& one) {
        if (!one.answer.findings) {
            suites_.push_back(report::junit_suite_without_sessions(one.name, one.answer));
            return;
        }
        report::CampaignPage page = report::page_of(one.answer, one.question.test, session_.context.deadline);
        page.title = fmt::format("{}: {}", one.name, page.title);
        page.invocation = api::command_of(one.settings, one.answer.seed);
        suites_.push_back(report::junit_suite(page, one.answer.seconds));
        if (one.settings.html) Session::write(one.answer, *one.settings.html, report::to_html(page));
    }

    Session& session_;
    report::Json campaigns_ = report::Json::array();
    std::vector<std::string> suites_;
};

// What is missing or does not go together; false after reporting it.
bool goes_together(const Session& session, const TestSettings& settings,
                   const std::vector<std::string>& campaigns, const std::string& project) {
    auto refuse = [&](std::string what, std::string help) {
        session.report(api::codes::bad_usage, std::move(what)).help(std::move(help));
        return false;
    };
    std::error_code ignored;
    if (settings.file && (!campaigns.empty() || !project.empty()))
        return refuse(fmt::format("{} is about a project file, and {} is a protocol",
                                  project.empty() ? "--campaign" : "--project", *settings.file),
                      "without FILE the campaigns of the project file are run");
    if (settings.file && !settings.cut)
        return refuse("treaty test needs --cut", "usage: treaty test FILE --cut ROLE");
    if (!settings.file && project.empty() && !std::filesystem::exists(api::default_project_file, ignored))
        return refuse("treaty test needs FILE, or a project file treaty.toml in this folder",
                      "usage: treaty test FILE --cut ROLE");
    return true;
}

}  // namespace

int verb_test(Arguments arguments) {
    Session session("test");
    CommandLine line(session);
    TestSettingsOptions options;
    std::string project;
    std::vector<std::string> campaigns;
    options.add_to(line);
    line.option("--project", "FILE", project, "the project file (default: treaty.toml)");
    line.option("--campaign", "NAME", campaigns, "run this campaign of the project file; repeatable");
    if (auto done = line.parse(arguments)) return *done;
    auto settings = options.read(session);
    if (settings && settings->file) session.result.inputs = {*settings->file};
    if (!settings || !goes_together(session, *settings, campaigns, project)) return session.finish();
    if (settings->file) return test_one(session, *settings);
    api::TestCampaignsQuestion question;
    if (!project.empty()) question.file = project;
    question.campaigns = std::move(campaigns);
    question.settings = std::move(*settings);
    return TestOfCampaigns(session).run(std::move(question));
}

}  // namespace treaty::cli
