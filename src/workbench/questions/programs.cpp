// Questions about programs.

#include <fmt/format.h>

#include "api/campaigns/test_settings.h"
#include "api/failures.h"
#include "api/replay.h"
#include "api/test_component.h"
#include "draw/graphviz.h"
#include "draw/style.h"
#include "report/answers.h"
#include "report/answers/test_report.h"
#include "report/run.h"
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

// How often each edge of the machine was seen, in the order of api::to_dot_of_steps.
Json seen_json(const api::TestDetails& details) {
    Json seen = Json::array();
    for (const api::TestedState& state : details.states)
        for (const api::TestedState::Edge& edge : state.edges)
            seen.push_back(edge.counted ? Json(edge.seen) : Json());
    return seen;
}

// The machine before the first session, then what is seen of it; failures as they are found.
api::TestObserver observer_of(const Task& task) {
    api::TestObserver observer;
    observer.seen = [&task, drawn = false](const api::TestDetails& details) mutable {
        Json news{{"seen", seen_json(details)}};
        if (std::string dot = drawn ? std::string() : api::to_dot_of_steps(details); !dot.empty())
            if (draw::Drawing drawing = draw::svg_of_dot(dot); drawing.svg)
                news["machine"] = std::move(*drawing.svg);
        drawn = true;
        task.progress(std::move(news));
    };
    observer.found = [&task](const api::TestFinding& finding) {
        Json failure{{"problem", drive::to_string(finding.problem)},
                     {"reason", finding.reason},
                     {"session", finding.session},
                     {"known", finding.known_before},
                     {"run", report::to_json(finding.run)}};
        task.progress({{"failures", Json::array({std::move(failure)})}});
    };
    return observer;
}

Json sessions_json(const std::vector<api::TestedSession>& sessions) {
    Json list = Json::array();
    for (const api::TestedSession& one : sessions)
        list.push_back({{"number", one.number},
                        {"outcome", one.outcome},
                        {"failed", one.failed},
                        {"messages", one.messages},
                        {"sent", one.sent_bytes},
                        {"received", one.received_bytes},
                        {"seconds", one.seconds}});
    return list;
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
        question.observer = observer_of(asking.task);
        api::TestAnswer answer = api::test_component(asking.workspace, question, asking.context);
        Json shown = asking.shown("test", answer, report::own_part(answer, draw::Style{}));
        shown["command"] = api::command_of(settings, asking.context.seed);
        if (answer.details) {
            Json lines = Json::array();
            for (const api::TestedLine& line : answer.details->lines)
                lines.push_back({{"number", line.number},
                                 {"text", line.text},
                                 {"step", line.is_step},
                                 {"seen", line.seen}});
            shown["lines"] = std::move(lines);
            shown["sessions"] = sessions_json(answer.records);
        }
        if (answer.findings) {
            report::CampaignPage page = report::page_of(answer, question.test, asking.context.deadline);
            page.invocation = shown["command"];
            if (!page.machine_svg.empty()) shown["machine"] = page.machine_svg;
            shown["page"] = report::to_html(page);
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

}  // namespace treaty::workbench
