#include "report/answers/test_report.h"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/program/campaign_verdict.h"
#include "base/wording.h"
#include "draw/graphviz.h"
#include "draw/sequence_chart.h"
#include "report/answers/count_json.h"
#include "report/answers/coverage_report.h"
#include "report/answers/kept_failure_report.h"

namespace treaty::report {
namespace {

using api::TestAnswer;
using api::TestFinding;
using base::counted;

// The end of what the component wrote to its standard error.
std::string last_lines(const std::string& errors) {
    std::size_t begin = errors.size();
    for (int lines = 0; lines < 8 && begin > 0; ++lines)
        begin = begin < 2 ? 0 : errors.rfind('\n', begin - 2) + 1;
    return errors.substr(begin);
}

// The command that tries it again; empty if it is kept nowhere.
std::string replay_of(const TestAnswer& answer, const TestFinding& finding) {
    if (!finding.file.empty()) return "treaty replay " + finding.file;
    return finding.number == 0 ? "" : replay_command(answer.store, finding.number);
}

std::vector<std::string> notes_of(const TestFinding& finding) {
    std::vector<std::string> notes = finding.explanations;
    std::uint32_t now = 0;
    for (std::size_t i = 0; i < finding.session_of.size(); ++i) {
        if (finding.session_of[i] != now)
            notes.push_back(fmt::format("message {} is in session {} with the same component", i + 1,
                                        finding.session_of[i] + 1));
        now = finding.session_of[i];
    }
    if (now + 1 < finding.sessions)
        notes.push_back(fmt::format("session {} with the same component has no message", finding.sessions));
    for (const TestFinding::Step& step : finding.expected)
        notes.push_back(fmt::format("expected by line {}: {}", step.line, step.text));
    return notes;
}

std::string how_often(const TestFinding& finding) {
    std::string now = finding.count == 1 ? "once" : fmt::format("{} times", finding.count);
    return !finding.known_before ? now
           : finding.count == 0  ? "kept from before"
                                 : "kept from before and " + now;
}

std::string how_it_shrank(const TestFinding& finding) {
    const TestFinding::Shrinking& s = *finding.shrunk;
    if (!s.gone.empty() && s.repeated == 0)
        return fmt::format(
            "it could not be repeated: {}; the component is gone: it has crashed, or somebody has stopped it",
            s.gone);
    std::size_t to = finding.run.events.size();
    std::string size = s.earlier == 0
                           ? fmt::format("shrunk from {} to {}", counted(s.from, "message"), to)
                           : fmt::format("with {} it has {},",
                                         s.earlier == 1 ? "an earlier session"
                                                        : fmt::format("{} earlier sessions", s.earlier),
                                         counted(to, "message"));
    if (s.repeated == 0)
        return fmt::format("{} in {}; there was no time to repeat it", size, counted(s.tries, "run"));
    return fmt::format("{} in {}; repeated, it {} {} of {}", size, counted(s.tries, "run"),
                       s.failed < s.repeated ? "is flaky: it failed" : "failed", s.failed,
                       counted(s.repeated, "time"));
}

Json finding_json(const TestAnswer& answer, const TestFinding& finding) {
    Json json = {{"problem", drive::to_string(finding.problem)},
                 {"reason", finding.reason},
                 {"errors", finding.errors},
                 {"explanations", finding.explanations},
                 {"answers", finding.answers ? Json(*finding.answers + 1) : Json()},
                 {"session", finding.session},
                 {"count", finding.count},
                 {"number", finding.number},
                 {"known_before", finding.known_before},
                 {"replay", replay_of(answer, finding)}};
    json["expected"] = Json::array();
    for (const TestFinding::Step& step : finding.expected)
        json["expected"].push_back({{"line", step.line}, {"text", step.text}});
    if (finding.shrunk)
        json["shrunk"] = {{"from", finding.shrunk->from},  {"to", finding.run.events.size()},
                          {"runs", finding.shrunk->tries}, {"repeated", finding.shrunk->repeated},
                          {"gone", finding.shrunk->gone},  {"failed", finding.shrunk->failed}};
    return json;
}

void add_numbers(const TestAnswer& answer, Json& fields) {
    const api::TestNumbers& n = *answer.numbers;
    fields["seed"] = answer.seed;
    fields["sessions"] = n.sessions;
    fields["messages"] = n.messages;
    fields["solver_calls"] = n.solver_calls;
    fields["possibilities"] = n.possibilities;
    fields["ended"] = n.ended;
    fields["completed"] = n.completed;
    fields["failed"] = n.failed;
    fields["unfinished"] = n.unfinished;
    fields["nothing_sent"] = n.nothing_sent;
    fields["verdicts"] = {{"pass", n.completed}, {"fail", n.failed}, {"inconclusive", n.unfinished}};
    Json curve = Json::array();
    for (auto [sessions, steps] : n.curve) curve.push_back({sessions, steps});
    fields["curve"] = std::move(curve);
}

std::string print_numbers(const TestAnswer& answer) {
    const api::TestNumbers& n = *answer.numbers;
    return fmt::format("seed {}: {}, {}; {} completed, {} failed, {} unfinished{}\n", answer.seed,
                       counted(n.sessions, "session"), counted(n.messages, "message"), n.completed, n.failed,
                       n.unfinished,
                       n.nothing_sent > 0 ? fmt::format(", in {} nothing was sent", n.nothing_sent) : "");
}

void add_strategy(const TestAnswer& answer, Own& own) {
    if (const auto& tests = answer.tests) {
        own.rest += fmt::format("tests: {} of {} {} executed, {} reached an end\n", tests->executed,
                                tests->cases.get_str(), tests->cases == 1 ? "case" : "cases", tests->ended);
        own.fields["tests"] = {
            {"cases", to_json(tests->cases)}, {"executed", tests->executed}, {"ended", tests->ended}};
    }
    if (answer.challenges) {
        Json all = Json::object();
        std::uint64_t sent = 0;
        for (const auto& [what, times] : *answer.challenges) {
            all[what] = times;
            sent += times;
        }
        own.rest += fmt::format("{}: {} of {} sent\n",
                                answer.strategy == api::Strategy::corrupt ? "corrupt" : "negative",
                                counted(sent, "message"), counted(answer.challenges->size(), "kind"));
        own.fields["challenges"] = std::move(all);
    }
    if (const auto& c = answer.combinations) {
        own.rest += fmt::format("combinations: {} of {} {} of field values sent", c->covered, c->total,
                                c->strength == 2 ? "pairs" : "triples");
        own.rest += c->refused > 0 ? fmt::format(", {} that the conditions exclude\n", c->refused) : "\n";
        own.fields["combinations"] = {
            {"strength", c->strength}, {"covered", c->covered}, {"refused", c->refused}, {"total", c->total}};
    }
}

// What explains a finding: what was expected, and what the component wrote.
std::string explained(const TestFinding& one) {
    std::string text;
    for (const std::string& note : notes_of(one)) text += note + '\n';
    if (!one.errors.empty()) text += "the component's standard error ends with:\n" + last_lines(one.errors);
    return text;
}

// How to see it again, and how it was made small.
std::string repeating(const TestAnswer& answer, const TestFinding& one) {
    std::string replay = replay_of(answer, one);
    std::string text = replay.empty() ? "not saved: the store cannot be written\n"
                                      : fmt::format("saved; repeat it with: {}\n", replay);
    if (one.shrunk) text += how_it_shrank(one) + '\n';
    return text;
}

// The first is the witness of the answer: it is explained before it is drawn. The others follow.
void add_findings(const TestAnswer& answer, const draw::Style& style, Own& own) {
    Json all = Json::array();
    std::size_t count = answer.findings->size();
    for (std::size_t i = 0; i < count; ++i) {
        const TestFinding& one = (*answer.findings)[i];
        std::string title = count == 1 ? std::string()
                                       : fmt::format("finding {} of {}, {}: {}\n", i + 1, count,
                                                     how_often(one), one.run.ending);
        (i == 0 ? own.details : own.rest) += title + explained(one);
        if (i > 0) own.rest += print(one.run, style);
        own.rest += repeating(answer, one);
        if (count > 1) own.rest += '\n';
        all.push_back(finding_json(answer, one));
    }
    own.fields["failure"] = all.empty() ? Json() : all.front();
    own.fields["findings"] = std::move(all);
}

void add_rate(const TestAnswer& answer, Own& own) {
    constexpr double worth_telling = 0.05;  // few sessions prove next to nothing
    if (!answer.failure_rate) return;
    own.fields["failure_rate_below"] = {{"confidence", api::confidence}, {"rate", *answer.failure_rate}};
    if (*answer.failure_rate < worth_telling)
        own.rest += fmt::format(
            "with 95 % confidence less than {:.2g} % of such sessions fail{}\n", *answer.failure_rate * 100,
            answer.strategy == api::Strategy::profile ? ", if real use matches the profile" : "");
}

std::string date_of(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

PageFinding page_finding(const TestAnswer& answer, const TestFinding& one) {
    PageFinding f;
    f.title = drive::to_string(one.problem);
    f.reason = one.reason;
    f.frequency = one.known_before ? how_often(one)
                                   : fmt::format("{} of {}, first in session {}", one.count,
                                                 counted(answer.numbers->sessions, "session"), one.session);
    if (one.shrunk) f.frequency += "; " + how_it_shrank(one);
    f.notes = notes_of(one);
    f.chart_svg = draw::to_svg(draw::chart_of(one.run));
    f.log = last_lines(one.errors);
    f.replay = replay_of(answer, one);
    return f;
}

}  // namespace

Own own_part(const TestAnswer& answer, const draw::Style& style, ValueClasses values) {
    Own own;
    if (answer.kept) {
        own.fields["saved"] = Json::array();
        for (const api::KeptFailure& one : *answer.kept) {
            own.details += print(one, answer.store);
            own.fields["saved"].push_back(to_json(one, answer.store));
        }
    }
    if (!answer.numbers) return own;
    add_numbers(answer, own.fields);
    if (!answer.findings) return own;
    bool all_passed = answer.findings->empty();
    add_findings(answer, style, own);
    if (answer.coverage) {
        own.rest += print(*answer.coverage, answer.component, all_passed, values);
        own.fields["coverage"] = to_json(*answer.coverage, answer.component);
        add_strategy(answer, own);
        own.rest += print_numbers(answer);
    }
    if (all_passed) own.fields["time_up"] = answer.numbers->time_up;
    add_rate(answer, own);
    return own;
}

std::string waiting_line(const std::string& where, std::chrono::milliseconds at_most) {
    return fmt::format("waiting up to {:g} s for the component at {}",
                       static_cast<double>(at_most.count()) / 1000.0, where);
}

CampaignPage page_of(const TestAnswer& answer, const api::TestRequest& request,
                     const base::Deadline& deadline) {
    CampaignPage page;
    page.title = fmt::format("{} of {} in {}", answer.component, answer.protocol, request.file);
    page.verdict = base::to_string(answer.verdict.value_or(api::Verdict::undecided));
    page.reason = answer.reason;
    const api::TestNumbers& n = *answer.numbers;
    page.facts = {{"sessions", std::to_string(n.sessions)},
                  {"messages", std::to_string(n.messages)},
                  {"completed", std::to_string(n.completed)},
                  {"failed", std::to_string(n.failed)},
                  {"unfinished", std::to_string(n.unfinished)}};
    if (n.nothing_sent > 0) page.facts.emplace_back("nothing sent", std::to_string(n.nothing_sent));
    page.about = {{"component", request.command.empty() ? "a program that was running" : request.command},
                  {"date", date_of(answer.started)},
                  {"duration", fmt::format("{:.1f} s", answer.seconds)},
                  {"seed", std::to_string(answer.seed)},
                  {"version", "treaty " TREATY_VERSION}};
    page.records = answer.records;
    for (const TestFinding& one : *answer.findings) page.findings.push_back(page_finding(answer, one));
    if (answer.coverage) page.never_seen = never_seen(*answer.coverage, answer.component);
    page.covered = n.covered;
    page.total = n.steps;
    if (answer.details) {
        page.lines = answer.details->lines;
        page.machine = answer.details->states;
        if (std::string dot = api::to_dot(*answer.details); !dot.empty())
            page.machine_svg = draw::svg_of_dot(dot, deadline).svg.value_or("");
    }
    page.curve = n.curve;
    page.sessions = n.sessions;
    page.passed = n.completed;
    page.failed = n.failed;
    page.unfinished = n.unfinished;
    return page;
}

}  // namespace treaty::report
