// The verb `test`; a file called verb_test.cpp would be one of unit tests.
#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/test_component.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "report/answers/test_report.h"

namespace treaty::cli {
namespace {

// The command line: the question, and what is to be written.
struct TestOptions {
    api::TestQuestion question;
    std::optional<std::uint64_t> sessions, length, parallel, coverage;
    std::string silence, startup, linger, strategy;
    bool no_shrink = false;
    std::string output, save, html, junit;

    void add_to(CommandLine& line);
    // False after reporting what is wrong.
    bool read(const Session& session);
};

void TestOptions::add_to(CommandLine& line) {
    api::TestRequest& test = question.test;
    line.positional("FILE", test.file, "a protocol");
    line.option("--cut", "ROLE", test.cut, "the role that the component under test plays", Needed::yes);
    line.option("--run", "COMMAND", test.command,
                "start the component; {port} is a free port, {tmp} a temporary folder");
    line.option("--via", "[ROLE=]ADDRESS", test.via,
                "its address: tcp://HOST:PORT, also tls, udp, ws, wss, http and https, unix:PATH or stdio:; "
                "with -listen (tcp-listen://...) it connects to Treaty");
    line.option("--play", "ROLES", test.play,
                "the roles that Treaty plays; others play the rest (default: all)");
    line.option("-p,--protocol", "NAME", test.protocol, "which protocol of the file (default: the last)");
    line.option("--wire", "NAME", test.wire,
                "which wire of the file (default: the last; JSON if there is none)");
    line.option("--sessions", "N", sessions, "maximum number of conversations (default: 100)");
    line.option("--length", "N", length, "after N messages, steer the conversation to its end (default: 20)");
    line.option("--silence", "TIME", silence, "how long an expected message may take (default: 2s)");
    line.option("--startup", "TIME", startup,
                "how long the component may take to be ready (default: 60s; 5s without --run)");
    line.option("--linger", "TIME", linger,
                "how long the component may take to end after the last message (default: a moment)");
    line.flag("--keep", test.keep, "use one component for all sessions");
    line.option("--reset", "COMMAND", test.reset,
                "with --keep: run before each session to reset the component");
    line.option(
        "--strategy", "NAME", strategy,
        "random; coverage: prefer what was not seen yet; tests: the abstract tests of the role; profile: "
        "by weights; negative: one message that is not allowed; pairs, triples: combinations of field "
        "values (default: random)");
    line.option("--reject", "MESSAGES", test.reject,
                "messages that count as a refusal (for --strategy negative)");
    line.option("--profile", "FILE", test.profile, "an operational profile: weights of messages and values");
    line.flag("--keep-going", question.keep_going,
              "continue after a failure; failures with the same cause are one finding");
    line.option("--until-coverage", "PERCENT", coverage, "stop when this share of the steps was seen");
    line.option("--parallel", "N", parallel, "number of sessions at the same time (default: 1)");
    line.option("--html", "FILE", html, "write an HTML report");
    line.option("--junit", "FILE", junit, "write a report for CI systems (JUnit XML)");
    line.flag("--no-shrink", no_shrink, "report the failing run as it was found");
    line.option("--store", "FILE", question.store,
                "where failures are kept, to be repeated first next time (default: treaty-failures.db)");
    line.option("--save", "FILE", save, "also write the failing run to this file");
    line.option("-o,--output", "FILE", output, "draw the failing run: .svg or .txt");
}

// An empty name: by the profile if there is one, else random. Nothing after reporting that there is none of
// that name.
std::optional<api::Strategy> read_strategy(const Session& session, const std::string& name, bool profile) {
    using api::Strategy;
    static constexpr std::array<std::pair<std::string_view, Strategy>, 7> known{
        {{"random", Strategy::random},
         {"coverage", Strategy::coverage},
         {"tests", Strategy::tests},
         {"profile", Strategy::profile},
         {"negative", Strategy::negative},
         {"pairs", Strategy::pairs},
         {"triples", Strategy::triples}}};
    if (name.empty()) return profile ? Strategy::profile : Strategy::random;
    std::string names;
    for (const auto& [one, strategy] : known) {
        if (one == name) return strategy;
        names += (names.empty() ? "" : ", ") + std::string(one);
    }
    session.report(api::codes::bad_usage, fmt::format("unknown strategy {}", name)).help(names);
    return std::nullopt;
}

bool TestOptions::read(const Session& session) {
    api::TestRequest& test = question.test;
    auto chosen = read_strategy(session, strategy, !test.profile.empty());
    std::optional<std::chrono::milliseconds> within, lingering;
    if (!chosen || !read_time(session, "--silence", silence, within) ||
        !read_time(session, "--startup", startup, question.startup) ||
        !read_time(session, "--linger", linger, lingering))
        return false;
    test.strategy = *chosen;
    if (within) test.silence_ms = static_cast<std::uint64_t>(within->count());
    if (lingering) test.linger_ms = static_cast<std::uint64_t>(lingering->count());
    test.length = length.value_or(test.length);
    test.parallel = parallel.value_or(test.parallel);
    question.sessions = sessions.value_or(question.sessions);
    if (coverage) question.until_coverage = static_cast<unsigned>(std::min<std::uint64_t>(*coverage, 100));
    question.shrink = !no_shrink;
    question.details = !html.empty();
    question.component.waiting = [](const std::string& where, std::chrono::milliseconds at_most) {
        fmt::print(stderr, "treaty: {}\n", report::waiting_line(where, at_most));
    };
    return true;
}

// The name of the file that finding number i is saved to: the others are numbered.
std::string numbered(const std::string& path, std::size_t i) {
    if (i == 0) return path;
    std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot == 0 || path.find('/', dot) != std::string::npos) dot = path.size();
    return fmt::format("{}-{}{}", path.substr(0, dot), i + 1, path.substr(dot));
}

// What cannot be written is reported to the answer, which then has no verdict.
bool write(api::Answer& answer, const std::string& path, std::string_view text) {
    auto written = base::write_file(path, text);
    if (written) return true;
    answer.diagnostics.report(api::codes::cannot_write, {}, written.error());
    answer.verdict.reset();
    answer.environment_failed = true;
    return false;
}

void save_runs(api::TestAnswer& answer, const std::string& path) {
    if (path.empty() || !answer.findings) return;
    for (std::size_t i = 0; i < answer.findings->size(); ++i) {
        api::TestFinding& one = (*answer.findings)[i];
        if (std::string file = numbered(path, i); write(answer, file, one.saved)) one.file = file;
    }
}

void write_pages(api::TestAnswer& answer, const TestOptions& options, const base::Deadline& deadline) {
    if ((options.html.empty() && options.junit.empty()) || !answer.findings) return;
    report::CampaignPage page = report::page_of(answer, options.question.test, deadline);
    if (!options.html.empty() && !write(answer, options.html, report::to_html(page))) return;
    if (!options.junit.empty()) write(answer, options.junit, report::to_junit(page, answer.seconds));
}

}  // namespace

int verb_test(Arguments arguments) {
    Session session("test");
    CommandLine line(session);
    TestOptions options;
    options.add_to(line);
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {options.question.test.file};
    if (!options.read(session)) return session.finish();
    api::TestAnswer answer = session.ask(api::test_component, options.question);
    save_runs(answer, options.save);
    report::Own own = report::own_part(answer, session.style());
    if (answer.witness) session.draw_witness(answer, own, options.output);
    write_pages(answer, options, session.context.deadline);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
