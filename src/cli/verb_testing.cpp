// The verb `test`; a file called verb_test.cpp would be one of unit tests.
#include <algorithm>

#include <fmt/format.h>

#include "cli/abstract_tests.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/kept_failures.h"
#include "cli/pictures.h"
#include "cli/run_file.h"
#include "cli/test_coverage.h"
#include "cli/test_report.h"
#include "cli/tester_setup.h"
#include "cli/verbs.h"
#include "drive/shrink_run.h"
#include "report/progress.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using report::counted;

struct Request {
    TestRequest test;
    std::string output, save, store, silence, startup, linger, html, junit, strategy;
    drive::CampaignOptions campaign;
    std::uint64_t parallel = 1;
    bool no_shrink = false;
};

// One tester a thread, each with a protocol of its own; the first is that of the session.
struct Testers {
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<std::unique_ptr<ProtocolInput>> inputs;
    std::vector<std::unique_ptr<drive::Tester>> testers;
};

bool make_testers(Session& session, const Request& request, ProtocolInput& input, model::RoleId cut,
                  Testers& out) {
    auto first = make_tester(session, request.test, input, cut);
    if (!first) return false;
    out.testers.push_back(std::move(first));
    for (std::uint64_t i = 1; i < request.parallel; ++i) {
        auto& other = out.sessions.emplace_back(std::make_unique<Session>("test"));
        other->options = session.options;
        auto loaded = load_protocol(*other, request.test.file, request.test.protocol);
        if (!loaded) return false;
        out.inputs.push_back(std::make_unique<ProtocolInput>(std::move(*loaded)));
        auto tester = make_tester(*other, request.test, *out.inputs.back(), cut);
        if (!tester) return false;
        out.testers.push_back(std::move(tester));
    }
    return true;
}

// The name of the file that finding number i is saved to: the others are numbered.
std::string numbered(const std::string& path, std::size_t i) {
    if (i == 0) return path;
    std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot == 0 || path.find('/', dot) != std::string::npos) dot = path.size();
    return fmt::format("{}-{}{}", path.substr(0, dot), i + 1, path.substr(dot));
}

// Made small, unless that is not wanted or was done before, and saved.
std::vector<Reported> settle(Session& session, const Request& request, const ProtocolInput& input,
                             drive::Tester& tester, KeptFailures& kept,
                             std::vector<drive::Finding> findings) {
    std::vector<Reported> result;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Reported one{std::move(findings[i]), std::nullopt, {}};
        if (!request.no_shrink && !kept.small_already(one.finding.kept)) {
            drive::ShrinkLimits limits;
            limits.deadline = base::Deadline::after(std::chrono::seconds(60));
            one.shrunk = drive::shrink_run(tester, one.finding.outcome, limits);
            kept.improve(one.finding.kept, input.specification, *one.shrunk);
        }
        one.replay = kept.replay(one.finding.kept);
        if (!request.save.empty()) {
            std::string path = numbered(request.save, i);
            if (session.write(path, run_text(request.test, input.specification, one.outcome())))
                one.replay = "treaty replay " + path;
        }
        result.push_back(std::move(one));
    }
    return result;
}

void add_numbers(Session& session, const drive::CampaignResult& campaign) {
    report::Result& result = session.result;
    result.extra["seed"] = session.options.seed;
    result.extra["sessions"] = campaign.sessions;
    result.extra["messages"] = campaign.messages;
    result.extra["possibilities"] = campaign.possibilities;
    result.extra["ended"] = campaign.ended;
    result.extra["completed"] = campaign.completed;
    result.extra["failed"] = campaign.fail;
    result.extra["unfinished"] = campaign.unfinished;
    result.extra["nothing_sent"] = campaign.mute;
    result.extra["verdicts"] = {
        {"pass", campaign.completed}, {"fail", campaign.fail}, {"inconclusive", campaign.unfinished}};
    report::Json curve = report::Json::array();
    for (auto [sessions, steps] : campaign.curve) curve.push_back({sessions, steps});
    result.extra["curve"] = std::move(curve);
}

void add_tests(Session& session, const AbstractTests& tests, const drive::CampaignResult& campaign) {
    session.result.text +=
        fmt::format("tests: {} of {} executed, {} came to where they may end\n", campaign.sessions,
                    tests.size().get_str() + (tests.size() == 1 ? " case" : " cases"), campaign.tests_passed);
    session.result.extra["tests"] = {
        {"cases", to_json(tests.size())}, {"executed", campaign.sessions}, {"ended", campaign.tests_passed}};
}

void add_challenges(Session& session, const drive::CampaignResult& campaign) {
    report::Json all = report::Json::object();
    std::uint64_t sent = 0;
    for (const auto& [what, times] : campaign.challenges) {
        all[what] = times;
        sent += times;
    }
    session.result.text += fmt::format("negative: {} of {} sent\n", counted(sent, "message"),
                                       counted(campaign.challenges.size(), "kind"));
    session.result.extra["challenges"] = std::move(all);
}

void add_combinations(Session& session, const std::vector<std::unique_ptr<drive::Tester>>& testers) {
    if (!testers.front()->part().combinations) return;
    drive::Combinations all = *testers.front()->part().combinations;
    for (const auto& one : testers) all.merge(*one->part().combinations);
    auto [covered, refused, total] = all.totals();
    session.result.text += fmt::format("combinations: {} of {} {} of field values sent", covered, total,
                                       all.strength() == 2 ? "pairs" : "triples");
    session.result.text += refused > 0 ? fmt::format(", {} that the conditions exclude\n", refused) : "\n";
    session.result.extra["combinations"] = {
        {"strength", all.strength()}, {"covered", covered}, {"refused", refused}, {"total", total}};
}

std::string nothing_sent(const drive::CampaignResult& campaign) {
    return campaign.obstacle.empty() ? "nothing was sent in any session"
                                     : "nothing could be sent in any session: " + campaign.obstacle;
}

std::string none_completed(const drive::CampaignResult& campaign) {
    return campaign.obstacle.empty() ? "no session was completed"
                                     : "no session was completed: " + campaign.obstacle;
}

std::string passed(const drive::CampaignResult& campaign, std::string_view role) {
    std::string text = fmt::format("{} passed {}", role, counted(campaign.completed, "session"));
    if (campaign.unfinished > 0)
        text += fmt::format("; {} unfinished{}", campaign.unfinished,
                            campaign.obstacle.empty() ? "" : ": " + campaign.obstacle);
    return text;
}

void judge(Session& session, const Request& request, const ProtocolInput& input, model::RoleId cut,
           const drive::CampaignResult& campaign, const std::vector<Reported>& findings) {
    report::Result& result = session.result;
    if (!findings.empty()) {
        result.answer = base::Answer::fails;
        result.reason = result.witness->ending;
        return;
    }
    bool vacuous = campaign.sessions > 0 && campaign.mute == campaign.sessions;
    bool enough = campaign.sessions == request.campaign.sessions || campaign.coverage_reached || campaign.time_up;
    bool all = enough && !campaign.odd && !vacuous && campaign.completed > 0;
    result.answer = all ? base::Answer::holds : base::Answer::undecided;
    std::string until = campaign.time_up ? "; the time is up" : "";
    result.reason = all            ? passed(campaign, input.specification.alphabet->name(cut)) + until
                    : campaign.odd ? campaign.odd->reason
                    : vacuous      ? nothing_sent(campaign)
                    : enough       ? none_completed(campaign) + until
                                   : "stopped before all sessions were run; no fault until then";
    result.extra["time_up"] = campaign.time_up;
    if (!all) {
        result.bound = {{"sessions", campaign.sessions}};
        return;
    }
    // Only sessions that are drawn alike say something about those to come.
    if (request.test.strategy != Strategy::random && request.test.strategy != Strategy::profile) return;
    double bound = drive::failure_bound(campaign.completed, 0.95);
    result.extra["failure_rate_below"] = {{"confidence", 0.95}, {"rate", bound}};
    if (bound < 0.05)  // few sessions say next to nothing
        result.text +=
            fmt::format("with 95 % confidence less than {:.2g} % of such sessions fail{}\n", bound * 100,
                        request.test.strategy == Strategy::profile ? ", if use is as the profile says" : "");
}

// Whether there was somebody to test; reported if not.
bool was_there(Session& session, const Request& request, const drive::Outcome& outcome) {
    if (outcome.problem != drive::Problem::did_not_start) return true;
    if (request.test.command.empty()) {
        session.report(codes::component_failed, outcome.reason)
            .help("without --run the component must be running: start it first, or check --via");
        session.result.world_failed = true;
        return false;
    }
    std::string said = last_lines(outcome.errors);
    while (said.ends_with('\n')) said.pop_back();
    session.report(codes::component_failed, outcome.reason)
        .help(said.empty() ? "" : "its last words were: " + said.substr(said.rfind('\n') + 1));
    session.result.world_failed = true;
    return false;
}

int run_sessions(Session& session, Request& request, ProtocolInput& input, model::RoleId cut,
                 Testers& testers) {
    KeptFailures kept(session, request.test, request.store);
    if (!kept.open()) return session.finish();
    kept.try_all(input, *testers.testers.front());
    request.campaign.known = kept.still_failing();
    request.campaign.keep = kept.keep();
    std::unique_ptr<AbstractTests> tests;
    if (request.test.strategy == Strategy::tests) {
        tests = AbstractTests::make(session, request.test, cut);
        if (!tests) return session.finish();
        request.campaign.sessions = tests->choose(request.campaign.sessions, session.options.seed);
        request.campaign.director = [&](std::uint64_t session_number) {
            return tests->director(session_number);
        };
    }
    auto started = std::chrono::steady_clock::now();
    report::Progress line(stderr, session.on_terminal());
    drive::CampaignResult campaign =
        drive::run_campaign(testers.testers, request.campaign, [&](const drive::CampaignResult& so_far) {
            line.update([&] {
                return fmt::format("session {} of {}, {} messages, {} of {} steps, {} failed",
                                   so_far.sessions, request.campaign.sessions, so_far.messages,
                                   so_far.coverage.covered(), so_far.coverage.steps.size(), so_far.fail);
            });
        });
    line.clear();
    report::Result& result = session.result;
    add_numbers(session, campaign);
    if (campaign.odd && campaign.findings.empty() && !was_there(session, request, *campaign.odd))
        return session.finish();
    std::vector<std::string> never_seen;
    if (campaign.sessions > 0) {
        result.text += fmt::format(
            "seed {}: {}, {}; {} completed, {} failed, {} unfinished{}\n", session.options.seed,
            counted(campaign.sessions, "session"), counted(campaign.messages, "message"), campaign.completed,
            campaign.fail, campaign.unfinished,
            campaign.mute > 0 ? fmt::format(", in {} nothing was sent", campaign.mute) : "");
        never_seen = add_coverage(session, input, testers.testers.front()->part(), campaign.coverage,
                                  campaign.findings.empty());
        kept.merge(input, campaign);
        if (tests) add_tests(session, *tests, campaign);
        if (request.campaign.challenge) add_challenges(session, campaign);
        add_combinations(session, testers.testers);
    }
    auto findings =
        settle(session, request, input, *testers.testers.front(), kept, std::move(campaign.findings));
    kept.finish();
    add_findings(session, input, cut, findings);
    if (!result.world_failed) judge(session, request, input, cut, campaign, findings);
    if (!request.output.empty() && result.witness &&
        !write_chart(session, report::chart_of(*result.witness), request.output))
        return session.finish();
    if (!request.html.empty() || !request.junit.empty()) {
        report::CampaignPage page =
            page_of(session, input, cut, request.test, campaign, findings, never_seen);
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (!request.html.empty() && !session.write(request.html, report::to_html(page)))
            return session.finish();
        if (!request.junit.empty() && !session.write(request.junit, report::to_junit(page, seconds)))
            return session.finish();
    }
    return session.finish();
}

}  // namespace

int verb_test(Arguments arguments) {
    Session session("test");
    CommandLine line(session);
    Request request;
    std::optional<std::uint64_t> sessions, length, parallel, coverage;
    line.positional("FILE", request.test.file, "a protocol");
    line.option("--cut", "ROLE", request.test.cut, "the role that the component under test plays",
                Needed::yes);
    line.option("--run", "COMMAND", request.test.command,
                "starts the component; {port} is a free port, {tmp} a folder of its own");
    line.option(
        "--via", "[ROLE=]ADDRESS", request.test.via,
        "where it is reached: tcp://HOST:PORT, also tls, udp, ws, wss, http and https, unix:PATH or stdio:; "
        "with -listen (tcp-listen://...) it connects to us");
    line.option("--play", "ROLES", request.test.play,
                "the roles that are played; the others are somewhere else (default: all)");
    line.option("-p,--protocol", "NAME", request.test.protocol,
                "which protocol of the file (default: the last)");
    line.option("--wire", "NAME", request.test.wire,
                "which wire of the file (default: the last; JSON if there is none)");
    line.option("--sessions", "N", sessions, "conversations, at most (default: 100)");
    line.option("--length", "N", length,
                "messages after which a conversation heads for its end (default: 20)");
    line.option("--silence", "TIME", request.silence,
                "how long a message that is due may take (default: 2s)");
    line.option("--startup", "TIME", request.startup,
                "how long the component may take to be ready (default: 60s; 5s where it should run already)");
    line.option("--linger", "TIME", request.linger,
                "how long the component may take to end after the last message (default: a moment)");
    line.flag("--keep", request.test.keep, "one component for all sessions");
    line.option("--reset", "COMMAND", request.test.reset,
                "run before each session of a kept component, to put it back");
    line.option(
        "--strategy", "NAME", request.strategy,
        "random; coverage: prefer what was not seen yet; tests: the abstract tests of the role; profile: "
        "by weights; negative: one message that is not allowed; pairs, triples: combinations of field "
        "values (default: random)");
    line.option("--reject", "MESSAGES", request.test.reject,
                "what the component says when it does not take something (for --strategy negative)");
    line.option("--profile", "FILE", request.test.profile,
                "an operational profile: weights of messages and values");
    line.flag("--keep-going", request.campaign.keep_going,
              "go on after a failure; failures with the same cause are one finding");
    line.option("--until-coverage", "PERCENT", coverage, "end when so much of the steps has been seen");
    line.option("--parallel", "N", parallel, "sessions at once (default: 1)");
    line.option("--html", "FILE", request.html, "write a report for people here");
    line.option("--junit", "FILE", request.junit, "write a report for CI systems here (JUnit XML)");
    line.flag("--no-shrink", request.no_shrink, "report the failing run as it was found");
    line.option("--store", "FILE", request.store,
                "where failures are kept and tried first next time (default: treaty-failures.db)");
    line.option("--save", "FILE", request.save, "write the failing run to a file of its own, too");
    line.option("-o,--output", "FILE", request.output, "draw the failing run here: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.test.file};
    request.campaign.sessions = sessions.value_or(100);
    request.campaign.seed = session.options.seed;
    request.parallel = std::clamp<std::uint64_t>(parallel.value_or(1), 1, 256);
    request.test.parallel = request.parallel;
    if (coverage) request.campaign.coverage = static_cast<unsigned>(std::min<std::uint64_t>(*coverage, 100));
    request.campaign.deadline = session.options.deadline;
    auto strategy = read_strategy(session, request.strategy, request.test.profile);
    if (!strategy) return session.finish();
    request.test.strategy = *strategy;
    request.campaign.challenge = *strategy == Strategy::negative;
    request.test.length = length.value_or(20);
    // Without a command the component should run already, unless it is the one that connects.
    auto connects = [](const std::string& via) { return via.find("-listen:") != std::string::npos; };
    bool started = !request.test.command.empty() ||
                   std::any_of(request.test.via.begin(), request.test.via.end(), connects);
    if (!started) request.test.startup_ms = 5000;
    auto input = load_protocol(session, request.test.file, request.test.protocol);
    if (!input || !read_milliseconds(session, "--silence", request.silence, request.test.silence_ms) ||
        !read_milliseconds(session, "--startup", request.startup, request.test.startup_ms) ||
        !read_milliseconds(session, "--linger", request.linger, request.test.linger_ms))
        return session.finish();
    request.test.digest = input->digest;
    auto roles = choose_roles(session, input->specification, *input->protocol, request.test.cut);
    if (!roles) return session.finish();
    if (roles->size() != 1) {
        session.report(codes::bad_usage, "--cut names one role");
        return session.finish();
    }
    Testers testers;
    if (!make_testers(session, request, *input, (*roles)[0], testers)) return session.finish();
    return run_sessions(session, request, *input, (*roles)[0], testers);
}

}  // namespace treaty::cli
