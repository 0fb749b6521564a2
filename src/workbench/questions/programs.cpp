// Questions about programs and their traffic.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "api/campaigns/test_settings.h"
#include "api/failures.h"
#include "api/replay.h"
#include "api/test_component.h"
#include "api/watch.h"
#include "draw/graphviz.h"
#include "draw/style.h"
#include "report/answers.h"
#include "report/answers/test_report.h"
#include "watch/whole_order.h"
#include "workbench/gate.h"
#include "workbench/questions.h"

namespace treaty::workbench {
namespace {

void read_component(Form& form, api::TestSettings& settings) {
    std::string file, cut, command, play, protocol, wire, via;
    form.file("file", file, "a protocol");
    form.role("cut", cut, "the role that the component under test plays", Needed::yes);
    form.text(
        "run", command,
        "start the component; {port} is a free port, {tmp} a temporary folder (empty: it runs already)");
    std::vector<std::string> addresses, with, ready;
    form.texts("via", addresses,
               "its address: tcp://127.0.0.1:{port}, also tls, udp, ws, http, unix:PATH or stdio:; "
               "ROLE=ADDRESS for one role; one per line");
    form.texts("with", with, "NAME=COMMAND: also start this program, before the component; one per line");
    form.texts("ready", ready,
               "what shows that it is ready: port:N, log:TEXT or http://HOST:PORT/PATH; one per line");
    form.texts("env", settings.env, "NAME=VALUE: an environment variable of the component; one per line");
    form.text("play", play, "the roles that Treaty plays, separated by commas (all, if it is empty)");
    form.protocol(protocol);
    form.text("wire", wire, "which wire of the file (the last one, if it is empty)");
    settings.file = file;
    settings.cut = cut;
    if (!command.empty()) settings.run = command;
    if (!play.empty()) settings.play = play;
    if (!protocol.empty()) settings.protocol = protocol;
    if (!wire.empty()) settings.wire = wire;
    if (!addresses.empty()) settings.via = addresses;
    if (!ready.empty()) settings.ready = ready;
    if (!with.empty()) settings.with.emplace();
    for (const std::string& one : with) settings.with->push_back({one, {}});
}

void read_sessions(Form& form, api::TestSettings& settings) {
    std::string strategy;
    bool keep = false, keep_going = false, no_shrink = false;
    form.number("sessions", settings.sessions, "maximum number of conversations (100, if it is empty)");
    form.number("length", settings.length,
                "after N messages, steer the conversation to its end (20, if it is empty)");
    form.choice("strategy", strategy,
                {"random", "coverage", "tests", "negative", "corrupt", "pairs", "triples"},
                "how it is decided what is sent");
    form.time("silence", settings.silence, "how long an expected message may take (2s, if it is empty)");
    form.time("startup", settings.startup, "how long the component may take to be ready");
    form.number("parallel", settings.parallel, "number of sessions at the same time", 64);
    form.number("until coverage", settings.until_coverage,
                "stop when this share of the steps was seen, in per cent", 100);
    form.flag("keep", keep, "use one component for all sessions");
    form.flag("keep going", keep_going,
              "continue after a failure; failures with the same cause are one finding");
    form.flag("no shrink", no_shrink, "report the failing run as it was found");
    settings.strategy = api::parse_strategy(strategy);
    if (keep) settings.keep = true;
    if (keep_going) settings.keep_going = true;
    if (no_shrink) settings.no_shrink = true;
}

}  // namespace

Asked read_test(Form& form) {
    api::TestSettings settings;
    read_component(form, settings);
    read_sessions(form, settings);
    return [settings](Asking& asking) {
        api::TestQuestion question = api::question_of(settings);
        question.details = true;
        question.component.waiting = [&](const std::string& where, std::chrono::milliseconds at_most) {
            asking.task.progress({{"line", report::waiting_line(where, at_most)}});
        };
        api::TestAnswer answer = api::test_component(asking.workspace, question, asking.context);
        Json shown = asking.shown("test", answer, report::own_part(answer, draw::Style{}));
        if (answer.details) {
            std::string dot = api::to_dot(*answer.details);
            draw::Drawing drawing = dot.empty() ? draw::Drawing{} : draw::svg_of_dot(dot);
            if (drawing.svg) shown["machine"] = std::move(*drawing.svg);
            Json lines = Json::array();
            for (const api::TestedLine& line : answer.details->lines)
                lines.push_back({{"number", line.number},
                                 {"text", line.text},
                                 {"step", line.is_step},
                                 {"seen", line.seen}});
            shown["lines"] = std::move(lines);
        }
        return shown;
    };
}

Asked read_replay(Form& form) {
    api::ReplayQuestion question;
    form.text("run", question.run, "the number of a kept failure (all of them, if it is empty)");
    form.text("command", question.command, "start the component with this command instead");
    return [question](Asking& asking) {
        api::ReplayAnswer answer = api::replay(asking.workspace, question, asking.context);
        return asking.shown("replay", answer, report::own_part(answer));
    };
}

Asked read_failures(Form&) {
    return [](Asking& asking) {
        api::FailuresAnswer answer = api::failures(asking.workspace, {}, asking.context);
        return asking.shown("failures", answer, report::own_part(answer));
    };
}

namespace {

// The verdicts of a watch as they fall: the watch writes them to a file of its own, from which they are
// passed on line by line.
class Verdicts {
public:
    Verdicts() : path_((std::filesystem::temp_directory_path() / ("treaty-" + new_token())).string()) {}
    ~Verdicts() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Verdicts(const Verdicts&) = delete;
    Verdicts& operator=(const Verdicts&) = delete;

    const std::string& path() const { return path_; }

    // Those that were written since the last call; a line that is not complete yet is left for the next one.
    Json fresh() {
        Json found = Json::array();
        std::ifstream file(path_, std::ios::binary);
        file.seekg(read_);
        std::string line;
        while (found.size() < most_at_once && std::getline(file, line) && !file.eof()) {
            read_ += static_cast<std::streamoff>(line.size() + 1);
            Json verdict = Json::parse(line, nullptr, false);
            if (!verdict.is_discarded()) found.push_back(std::move(verdict));
        }
        return found;
    }

private:
    static constexpr std::size_t most_at_once = 200;
    std::string path_;
    std::streamoff read_ = 0;
};

}  // namespace

Asked read_watch(Form& form) {
    api::WatchQuestion question;
    std::string order;
    bool no_data = false;
    std::optional<std::chrono::milliseconds> idle, expire;
    form.file("file", question.file, "a protocol");
    form.files("logs", question.logs, "logs, one per line; ROLE=FILE for the log of one role");
    form.flag("follow", question.follow, "continue as the logs grow, until it is stopped");
    form.protocol(question.protocol);
    form.files("mappings", question.mappings, "how lines of other forms become messages: a file per line",
               Needed::no);
    form.texts("map", question.map,
               "ADDRESS=ROLE: which role an address in the logs belongs to; one per line");
    form.choice("order", order, {"causal", "sending", "reception", "both", "disjoint", "overlap"},
                "order of interactions: causal, or by a common clock");
    std::string session;
    form.text("session", session, "how to tell sessions apart: session, id or field:NAME");
    if (!session.empty()) question.session = session;
    form.text("wire", question.wire, "the wire that decodes bytes (the last one, if it is empty)");
    form.flag("no data", no_data, "judge only the messages, not their data");
    form.flag("complete", question.complete,
              "the logs hold whole sessions: a message that is still expected at the end is missing");
    form.time("idle", idle, "with follow: end after this long without a record");
    form.time("expire", expire, "end sessions that were silent for this long");
    question.order = watch::order_named(order).value_or(question.order);
    question.data = !no_data;
    question.idle = idle.value_or(std::chrono::milliseconds(0));
    question.expire = expire.value_or(std::chrono::milliseconds(0));
    return [question](Asking& asking) {
        Verdicts verdicts;
        api::WatchQuestion asked = question;
        asked.verdicts = verdicts.path();
        api::ProgressSink line = asking.context.progress;
        asking.context.progress = [&](const api::Progress& progress) {
            line(progress);
            if (Json fresh = verdicts.fresh(); !fresh.empty())
                asking.task.progress({{"verdicts", std::move(fresh)}});
        };
        api::WatchAnswer answer = api::watch(asking.workspace, asked, asking.context);
        Json shown = asking.shown("watch", answer, report::own_part(answer));
        shown["verdicts"] = verdicts.fresh();
        return shown;
    };
}

}  // namespace treaty::workbench
