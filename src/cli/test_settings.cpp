#include "cli/test_settings.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "cli/time_option.h"

namespace treaty::cli {

void TestSettingsOptions::add_to(CommandLine& line) {
    line.positional("FILE", file_, "a protocol; without it, the campaigns of treaty.toml are run",
                    Needed::no);
    add_component(line);
    add_campaign(line);
    add_output(line);
}

void TestSettingsOptions::add_component(CommandLine& line) {
    line.option("--cut", "ROLE", settings_.cut, "the role that the component under test plays");
    line.option("--run", "COMMAND", settings_.run,
                "start the component; {port} is a free port, {port:NAME} another, {tmp} a temporary folder, "
                "{tty} the terminal of pty:");
    line.option("--env", "NAME=VALUE", env_, "an environment variable of the component; repeatable");
    line.option("--dir", "FOLDER", settings_.dir, "the working directory of the component");
    line.option("--with", "NAME=COMMAND", with_, "also start this program, before the component; repeatable");
    line.option("--ready", "[NAME=]WHAT", ready_,
                "what shows that the component, or a program of --with, is ready: port:N, log:TEXT or "
                "http://HOST:PORT/PATH");
    line.option(
        "--via", "[ROLE=]ADDRESS", via_,
        "its address: tcp://HOST:PORT, also tls, udp, ws, wss, http and https, unix:PATH, stdio: or pty:; "
        "with -listen (tcp-listen://...) it connects to Treaty");
    line.option("--play", "ROLES", settings_.play,
                "the roles that Treaty plays; others play the rest (default: all)");
    line.option("-p,--protocol", "NAME", settings_.protocol,
                "which protocol of the file (default: the last)");
    line.option("--wire", "NAME", settings_.wire,
                "which wire of the file (default: the last; JSON if there is none)");
}

void TestSettingsOptions::add_campaign(CommandLine& line) {
    line.option("--sessions", "N", settings_.sessions, "maximum number of conversations (default: 100)");
    line.option("--length", "N", settings_.length,
                "after N messages, steer the conversation to its end (default: 20)");
    line.option("--silence", "TIME", silence_, "how long an expected message may take (default: 2s)");
    line.option("--startup", "TIME", startup_,
                "how long the component may take to be ready (default: 60s; 5s without --run)");
    line.option("--linger", "TIME", linger_,
                "how long the component may take to end after the last message (default: a moment)");
    line.flag("--keep", keep_, "use one component for all sessions");
    line.option("--reset", "COMMAND", settings_.reset,
                "with --keep: run before each session to reset the component");
    line.option(
        "--strategy", "NAME", strategy_,
        "random; coverage: prefer what was not seen yet; tests: the abstract tests of the role; profile: "
        "by weights; negative: one message that is not allowed; corrupt: one message whose bytes are "
        "damaged; pairs, triples: combinations of field "
        "values (default: random)");
    line.option("--reject", "MESSAGES", settings_.reject,
                "messages that count as a refusal (for --strategy negative and corrupt)");
    line.option(
        "--corrupt-means", "WORDS", settings_.corrupt_means,
        "what the component may do with damaged bytes: refused, ignored, closed (default: all three)");
    line.option("--profile", "FILE", settings_.profile,
                "an operational profile: weights of messages and values");
    line.flag("--keep-going", keep_going_,
              "continue after a failure; failures with the same cause are one finding");
    line.option("--until-coverage", "PERCENT", settings_.until_coverage,
                "stop when this share of the steps was seen");
    line.option("--parallel", "N", settings_.parallel, "number of sessions at the same time (default: 1)");
}

void TestSettingsOptions::add_output(CommandLine& line) {
    line.option("--html", "FILE", settings_.html, "write an HTML report; one per campaign");
    line.option("--junit", "FILE", settings_.junit, "write a report for CI systems (JUnit XML)");
    line.flag("--values", values_, "list the classes of field values that were never seen");
    line.flag("--no-shrink", no_shrink_, "report the failing run as it was found");
    line.option("--store", "FILE", settings_.store,
                "where failures are kept, to be repeated first next time (default: treaty-failures.db)");
    line.option("--save", "FILE", settings_.save, "also write the failing run to this file");
    line.option("-o,--output", "FILE", settings_.output, "draw the failing run: .svg or .txt");
}

std::optional<api::TestSettings> TestSettingsOptions::read(const Session& session) const {
    api::TestSettings settings = settings_;
    if (!file_.empty()) settings.file = file_;
    if (!strategy_.empty() && !(settings.strategy = api::parse_strategy(strategy_))) {
        session.report(api::codes::bad_usage, fmt::format("unknown strategy {}", strategy_))
            .help(fmt::format("{}", fmt::join(api::strategy_names(), ", ")));
        return std::nullopt;
    }
    if (!read_time(session, "--silence", silence_, settings.silence) ||
        !read_time(session, "--startup", startup_, settings.startup) ||
        !read_time(session, "--linger", linger_, settings.linger))
        return std::nullopt;
    if (!via_.empty()) settings.via = via_;
    if (!ready_.empty()) settings.ready = ready_;
    if (!with_.empty()) settings.with.emplace();
    for (const std::string& one : with_) settings.with->push_back({one, {}});
    settings.env = env_;
    // A flag that is not given leaves what a project file has.
    if (keep_) settings.keep = true;
    if (keep_going_) settings.keep_going = true;
    if (no_shrink_) settings.no_shrink = true;
    if (values_) settings.values = true;
    if (session.options.seeded) settings.seed = session.context.seed;
    return settings;
}

}  // namespace treaty::cli
