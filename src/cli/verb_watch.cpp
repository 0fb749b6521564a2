#include <cstdio>

#include <fmt/format.h>

#include "api/check_properties.h"
#include "api/watch.h"
#include "base/limits.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "watch/codes.h"

namespace treaty::cli {
namespace {

// Options whose type differs from that in the question.
struct Words {
    std::string order = "causal", idle, expire;
    std::optional<std::uint64_t> sessions;
    bool no_data = false;
};

std::chrono::nanoseconds duration_of(const Session& session, const std::string& text) {
    if (text.empty()) return {};
    auto duration = base::parse_duration(text);
    if (!duration) session.report(watch::codes::duration_unclear, fmt::format("{} is not a duration", text));
    return duration.value_or(std::chrono::nanoseconds());
}

// Whether everything could be understood.
bool read(const Session& session, const Words& words, api::WatchQuestion& question) {
    auto order = watch::order_named(words.order);
    if (!order) session.report(watch::codes::order_unknown, fmt::format("unknown order {}", words.order));
    question.order = order.value_or(question.order);
    question.idle = duration_of(session, words.idle);
    question.expire = duration_of(session, words.expire);
    question.sessions = words.sessions.value_or(0);
    question.data = !words.no_data;
    return session.diagnostics().ok();
}

}  // namespace

int verb_watch(Arguments arguments) {
    Session session("watch");
    CommandLine line(session);
    api::WatchQuestion question;
    Words words;
    bool check = false, live = false;
    line.positional("FILE", question.file, "a protocol");
    line.option("--from", "LOG", question.logs,
                "a log, or ROLE=LOG for the log of one role; - is standard input. Repeat it for each log");
    line.option("--as", "MAPPING", question.mappings,
                "how lines become messages: a file, or access_log, otlp; LOG=MAPPING for one log only");
    line.option("--map", "ADDRESS=ROLE", question.map, "which role an address in the logs belongs to");
    line.option(
        "--order", "ORDER", words.order,
        "order of interactions: causal (default), or by a common clock: sending, reception, both, disjoint, "
        "overlap");
    line.option("--session", "RULE", question.session,
                "how to tell sessions apart: session (default; else the connection), id, or field:NAME");
    line.option("--wire", "NAME", question.wire, "the wire that decodes bytes (default: the last)");
    line.flag("--no-data", words.no_data, "judge only the messages, not their data");
    line.flag("--check-properties", check,
              "without logs: whether the protocol guarantees, violates or never triggers each property");
    line.flag("--complete", question.complete,
              "the logs hold whole sessions: a message that is still expected at the end is missing");
    line.flag("--follow", question.follow, "continue as the logs grow");
    line.option("--idle", "TIME", words.idle, "with --follow: end after this long without a record");
    line.option("--verdicts", "FILE", question.verdicts,
                "write each verdict as soon as it is reached, as JSON lines; - is standard output");
    line.option("--state", "FILE", question.state, "save the state here, to continue after a restart");
    line.flag("--live", live, "show progress on standard error");
    line.option("--metrics", "ADDRESS", question.metrics,
                "serve counters in Prometheus text format at this local HOST:PORT");
    line.option("--expire", "TIME", words.expire, "end sessions that were silent for this long");
    line.option("--limit-sessions", "N", words.sessions,
                "maximum number of live sessions; the one silent for longest ends first");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {question.file};
    session.result.inputs.insert(session.result.inputs.end(), question.logs.begin(), question.logs.end());
    if (!read(session, words, question)) return session.finish();
    if (check && question.logs.empty()) {
        auto answer = session.ask(api::check_properties,
                                  api::CheckPropertiesQuestion{question.file, question.protocol});
        return session.finish(answer, report::own_part(answer));
    }
    question.serving = [](std::uint16_t port) { fmt::print(stderr, "metrics at port {}\n", port); };
    if (live) session.settings().progress = [](const api::Progress& p) { report::show_live(stderr, p); };
    api::WatchAnswer answer = api::watch(session.workspace, question, session.context);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
