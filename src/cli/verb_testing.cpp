// The verb `test`; a file called verb_test.cpp would be one of unit tests.
#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/run_file.h"
#include "cli/tester_setup.h"
#include "cli/verbs.h"
#include "drive/shrink_run.h"
#include "report/progress.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using drive::Outcome;
using drive::Verdict;
using report::counted;

struct Request {
    TestRequest test;
    std::string output, save = "treaty-failure.json", silence, startup;
    std::uint64_t sessions = 100;
    bool no_shrink = false;
};

struct Counts {
    std::uint64_t sessions = 0, messages = 0, pass = 0, inconclusive = 0, ended = 0, possibilities = 0;
};

std::uint32_t line_of(const Session& session, const model::Protocol& protocol, model::NodeId node) {
    return node ? session.sources.line_number(protocol[node].span.file, protocol[node].span.begin) : 0;
}

void add_coverage(Session& session, const ProtocolInput& input, model::RoleId cut,
                  const drive::Coverage& coverage) {
    report::Json missing = report::Json::array();
    std::string text;
    const model::Alphabet& alphabet = *input.specification.alphabet;
    for (const auto& step : coverage.steps) {
        if (step.seen > 0 || !step.node) continue;
        const model::Node& node = (*input.protocol)[step.node];
        std::uint32_t line = line_of(session, *input.protocol, step.node);
        std::string what = fmt::format("{} -> {}: {}", alphabet.name(node.role), alphabet.name(node.to),
                                       alphabet.name(node.message));
        missing.push_back(
            {{"step", what}, {"line", line}, {"by", step.to_component ? "tester" : alphabet.name(cut)}});
        text += fmt::format("    never seen: {} (line {})\n", what, line);
    }
    session.result.extra["coverage"] = {
        {"covered", coverage.covered()}, {"total", coverage.steps.size()}, {"missing", missing}};
    session.result.text += fmt::format("coverage: {} of {}\n{}", coverage.covered(),
                                       counted(coverage.steps.size(), "step"), text);
}

// The end of what the component wrote to its standard error.
std::string last_lines(const std::string& errors) {
    std::size_t begin = errors.size();
    for (int lines = 0; lines < 8 && begin > 0; ++lines)
        begin = begin < 2 ? 0 : errors.rfind('\n', begin - 2) + 1;
    return errors.substr(begin);
}

int report_failure(Session& session, const Request& request, const ProtocolInput& input, model::RoleId cut,
                   const Outcome& outcome) {
    report::Result& result = session.result;
    result.witness = run_of(outcome, input.specification, *input.protocol, cut, session.sources);
    for (const std::string& one : outcome.explanations) result.text += one + '\n';
    for (model::NodeId node : outcome.expected)
        if (std::uint32_t line = line_of(session, *input.protocol, node))
            result.text += fmt::format("expected by line {}: {}\n", line,
                                       session.sources.line((*input.protocol)[node].span.file, line));
    if (!outcome.errors.empty())
        result.text += "the component's standard error ends with:\n" + last_lines(outcome.errors);
    std::string text = to_json(request.test, input.specification, outcome)
                           .dump(1, ' ', false, report::Json::error_handler_t::replace);
    if (!session.write(request.save, text + '\n')) return session.finish();
    result.extra["failure"] = {
        {"problem", drive::to_string(outcome.problem)},
        {"reason", outcome.reason},
        {"errors", outcome.errors},
        {"explanations", outcome.explanations},
        {"answers", outcome.answers ? report::Json(*outcome.answers + 1) : report::Json()},
        {"saved", request.save},
        {"replay", "treaty replay " + request.save}};
    result.text += fmt::format("saved; try it again with: treaty replay {}\n", request.save);
    if (!request.output.empty() && !write_chart(session, report::chart_of(*result.witness), request.output))
        return session.finish();
    return session.fails(result.witness->ending);
}

// The failure made small, unless that is not wanted; says how it went.
Outcome shrunk(Session& session, const Request& request, drive::Tester& tester, Outcome failure) {
    if (request.no_shrink) return failure;
    drive::ShrinkLimits limits;
    limits.deadline = base::Deadline::after(std::chrono::seconds(60));
    std::size_t before = failure.exchanges.size();
    drive::Shrunk result = drive::shrink_run(tester, std::move(failure), limits);
    bool flaky = result.failed < result.repeated;
    session.result.text += fmt::format(
        "shrunk from {} to {} in {}; tried again it {} {} of {}\n", counted(before, "message"),
        result.outcome.exchanges.size(), report::counted(result.tries, "run"),
        flaky ? "is flaky: it failed" : "failed", result.failed, counted(result.repeated, "time"));
    session.result.extra["shrunk"] = {{"from", before},
                                      {"to", result.outcome.exchanges.size()},
                                      {"runs", result.tries},
                                      {"repeated", result.repeated},
                                      {"failed", result.failed}};
    return std::move(result.outcome);
}

int run_sessions(Session& session, const Request& request, ProtocolInput& input, model::RoleId cut,
                 drive::Tester& tester) {
    Counts counts;
    report::Progress line(stderr, session.on_terminal());
    std::optional<Outcome> failure, odd;
    base::Deadline deadline =
        session.options.time ? base::Deadline::after(*session.options.time) : base::Deadline();
    while (counts.sessions < request.sessions && !failure && !deadline.passed() && !base::interrupt_flag()) {
        Outcome outcome = tester.run(session.options.seed + counts.sessions);
        ++counts.sessions;
        counts.messages += outcome.exchanges.size();
        counts.ended += outcome.ended;
        counts.possibilities = std::max<std::uint64_t>(counts.possibilities, outcome.possibilities);
        if (outcome.verdict == Verdict::pass) ++counts.pass;
        if (outcome.verdict == Verdict::fail)
            failure = std::move(outcome);
        else if (outcome.verdict == Verdict::inconclusive) {
            ++counts.inconclusive;
            bool stop = outcome.problem == drive::Problem::did_not_start ||
                        outcome.problem == drive::Problem::interrupted;
            odd = std::move(outcome);
            if (stop) break;
        }
        line.update([&] {
            return fmt::format("session {} of {}, {} messages, {} of {} steps", counts.sessions,
                               request.sessions, counts.messages, tester.coverage().covered(),
                               tester.coverage().steps.size());
        });
    }
    line.clear();
    report::Result& result = session.result;
    result.extra["seed"] = session.options.seed;
    result.extra["sessions"] = counts.sessions;
    result.extra["messages"] = counts.messages;
    result.extra["possibilities"] = counts.possibilities;
    result.extra["verdicts"] = {
        {"pass", counts.pass}, {"fail", failure ? 1 : 0}, {"inconclusive", counts.inconclusive}};
    if (odd && odd->problem == drive::Problem::did_not_start) {
        std::string said = last_lines(odd->errors);
        while (said.ends_with('\n')) said.pop_back();
        session.report(codes::component_failed, odd->reason)
            .help(said.empty() ? "" : "its last words were: " + said.substr(said.rfind('\n') + 1));
        result.world_failed = true;
        return session.finish();
    }
    result.text +=
        fmt::format("seed {}: {}, {}, {} came to their end\n", session.options.seed,
                    counted(counts.sessions, "session"), counted(counts.messages, "message"), counts.ended);
    add_coverage(session, input, cut, tester.coverage());
    result.extra["failure"] = nullptr;
    if (failure)
        return report_failure(session, request, input, cut,
                              shrunk(session, request, tester, std::move(*failure)));
    bool all = counts.sessions == request.sessions && !odd;
    result.answer = all ? base::Answer::holds : base::Answer::undecided;
    result.reason = all   ? fmt::format("{} passed {}", input.specification.alphabet->name(cut),
                                        counted(counts.sessions, "session"))
                    : odd ? odd->reason
                          : "stopped before all sessions were run; no fault until then";
    if (!all) result.bound = {{"sessions", counts.sessions}};
    return session.finish();
}

}  // namespace

int verb_test(Arguments arguments) {
    Session session("test");
    CommandLine line(session);
    Request request;
    std::optional<std::uint64_t> sessions, length;
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
                "how long the component may take to be ready (default: 10s)");
    line.flag("--keep", request.test.keep, "one component for all sessions");
    line.option("--reset", "COMMAND", request.test.reset,
                "run before each session of a kept component, to put it back");
    line.flag("--no-shrink", request.no_shrink, "report the failing run as it was found");
    line.option("--save", "FILE", request.save, "where a failing run is kept (default: treaty-failure.json)");
    line.option("-o,--output", "FILE", request.output, "draw the failing run here: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.test.file};
    request.sessions = sessions.value_or(100);
    request.test.length = length.value_or(20);
    auto input = load_protocol(session, request.test.file, request.test.protocol);
    if (!input || !read_milliseconds(session, "--silence", request.silence, request.test.silence_ms) ||
        !read_milliseconds(session, "--startup", request.startup, request.test.startup_ms))
        return session.finish();
    auto roles = choose_roles(session, input->specification, *input->protocol, request.test.cut);
    if (!roles) return session.finish();
    if (roles->size() != 1) {
        session.report(codes::bad_usage, "--cut names one role");
        return session.finish();
    }
    auto tester = make_tester(session, request.test, *input, (*roles)[0]);
    if (!tester) return session.finish();
    return run_sessions(session, request, *input, (*roles)[0], *tester);
}

}  // namespace treaty::cli
