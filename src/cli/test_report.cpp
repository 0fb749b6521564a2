#include "cli/test_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/derive.h"
#include "cli/run_file.h"
#include "cli/test_coverage.h"
#include "formats/dot.h"
#include "report/draw.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using report::counted;

std::string_view trimmed(std::string_view line) {
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    return line;
}

std::vector<std::string> expectations(const Session& session, const ProtocolInput& input,
                                      const drive::Outcome& outcome) {
    std::vector<std::string> notes = outcome.explanations;
    std::uint32_t session_now = 0;
    for (std::size_t i = 0; i < outcome.exchanges.size(); ++i) {
        std::uint32_t its = outcome.exchanges[i].session;
        if (its != session_now)
            notes.push_back(
                fmt::format("message {} is in session {} with the same component", i + 1, its + 1));
        session_now = its;
    }
    if (session_now + 1 < outcome.sessions)
        notes.push_back(fmt::format("session {} with the same component has no message", outcome.sessions));
    for (model::NodeId node : outcome.expected)
        if (std::uint32_t line = line_of(session, *input.protocol, node))
            notes.push_back(
                fmt::format("expected by line {}: {}", line,
                            trimmed(session.sources.line((*input.protocol)[node].span.file, line))));
    return notes;
}

std::string how_often(const drive::Finding& finding) {
    std::string now = finding.count == 1 ? "once" : fmt::format("{} times", finding.count);
    return !finding.known_before ? now
           : finding.count == 0  ? "kept from before"
                                 : "kept from before and " + now;
}

std::string how_it_shrank(const Reported& one) {
    const drive::Shrunk& s = *one.shrunk;
    if (!s.gone.empty() && s.repeated == 0)
        return fmt::format("it could not be tried again: {}; the component is gone: it has crashed, or somebody "
                           "has ended it",
                           s.gone);
    bool flaky = s.failed < s.repeated;
    std::size_t from = one.finding.outcome.exchanges.size(), to = s.outcome.exchanges.size();
    std::uint32_t earlier = s.outcome.sessions - std::min(s.outcome.sessions, one.finding.outcome.sessions);
    std::string size = earlier == 0 ? fmt::format("shrunk from {} to {}", counted(from, "message"), to)
                                    : fmt::format("with {} it has {},",
                                                  earlier == 1 ? "an earlier session"
                                                               : fmt::format("{} earlier sessions", earlier),
                                                  counted(to, "message"));
    if (s.repeated == 0)
        return fmt::format("{} in {}; there was no time to try it again", size, counted(s.tries, "run"));
    return fmt::format("{} in {}; tried again it {} {} of {}", size, counted(s.tries, "run"),
                       flaky ? "is flaky: it failed" : "failed", s.failed, counted(s.repeated, "time"));
}

report::Json to_json(const Reported& one) {
    const drive::Outcome& outcome = one.outcome();
    report::Json json = {{"problem", drive::to_string(outcome.problem)},
                         {"reason", outcome.reason},
                         {"errors", outcome.errors},
                         {"explanations", outcome.explanations},
                         {"answers", outcome.answers ? report::Json(*outcome.answers + 1) : report::Json()},
                         {"session", one.finding.session},
                         {"count", one.finding.count},
                         {"number", one.finding.kept},
                         {"known_before", one.finding.known_before},
                         {"replay", one.replay}};
    if (one.shrunk)
        json["shrunk"] = {{"from", one.finding.outcome.exchanges.size()},
                          {"to", outcome.exchanges.size()},
                          {"runs", one.shrunk->tries},
                          {"repeated", one.shrunk->repeated},
                          {"gone", one.shrunk->gone},
                          {"failed", one.shrunk->failed}};
    return json;
}

// The text of the protocol, with how often each line's steps were seen.
std::vector<report::PageLine> source_lines(const Session& session, const ProtocolInput& input,
                                           const drive::Coverage& coverage) {
    std::vector<report::PageLine> lines;
    if (coverage.steps.empty() || !coverage.steps.front().node) return lines;
    base::FileId file = (*input.protocol)[coverage.steps.front().node].span.file;
    auto text = session.sources.text(file);
    auto count = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') +
                                            (text.ends_with('\n') ? 0 : 1));
    for (std::uint32_t i = 1; i <= count; ++i)
        lines.push_back({i, std::string(session.sources.line(file, i)), false, 0});
    for (const auto& step : coverage.steps)
        if (std::uint32_t line = line_of(session, *input.protocol, step.node);
            line > 0 && line <= lines.size()) {
            lines[line - 1].is_step = true;
            lines[line - 1].seen += step.seen;
        }
    return lines;
}

// The component's machine as the page shows it: a list of states, and a picture if it is small enough.
void add_machine(Session& session, const ProtocolInput& input, model::RoleId cut,
                 const drive::Coverage& coverage, report::CampaignPage& page) {
    constexpr std::size_t most_drawn = 100, most_listed = 2000;  // states
    Session aside("test");  // that there is none is no fault of the test
    aside.options = session.options;
    auto machine = derive_machine(aside, input, std::array{cut});
    if (!machine || machine->state_count() > most_listed) return;
    auto edge_of = [&](model::StateId s, std::size_t i) {
        const model::Event& e = machine->alphabet().event(machine->out(s)[i].label);
        report::PageState::Edge edge{formats::edge_text(*machine, s, i), machine->out(s)[i].target.index,
                                     e.kind != model::EventKind::silent, 0};
        bool to_component = e.kind == model::EventKind::receive;
        for (const auto& step : coverage.steps) {
            // Edges that stand for several steps do not know which.
            bool same = machine->node(s, i) ? step.node == machine->node(s, i)
                                            : step.node && (*input.protocol)[step.node].message == e.message;
            if (edge.counted && same && step.to_component == to_component) edge.seen += step.seen;
        }
        return edge;
    };
    for (std::size_t i = 0; i < machine->state_count(); ++i) {
        model::StateId s(i);
        report::PageState state{std::string(machine->state_name(s)), machine->final(s), {}};
        if (state.name.empty()) state.name = std::to_string(i);
        for (std::size_t k = 0; k < machine->out(s).size(); ++k) state.edges.push_back(edge_of(s, k));
        page.machine.push_back(std::move(state));
    }
    if (page.machine.size() > most_drawn) return;
    auto look = [&](model::StateId s, std::size_t i) -> formats::EdgeLook {
        const report::PageState::Edge& edge = page.machine[s.index].edges[i];
        if (!edge.counted) return {edge.label, ""};
        return {fmt::format("{} {}×", edge.label, edge.seen),
                edge.seen > 0 ? "class=seen" : "class=unseen"};
    };
    page.machine_svg =
        report::draw(formats::write_dot(*machine, look), std::chrono::seconds(30)).svg.value_or("");
}

}  // namespace

std::string last_lines(const std::string& errors) {
    std::size_t begin = errors.size();
    for (int lines = 0; lines < 8 && begin > 0; ++lines)
        begin = begin < 2 ? 0 : errors.rfind('\n', begin - 2) + 1;
    return errors.substr(begin);
}

void add_findings(Session& session, const ProtocolInput& input, model::RoleId cut,
                  const std::vector<Reported>& findings) {
    report::Result& result = session.result;
    report::Json all = report::Json::array();
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const Reported& one = findings[i];
        const drive::Outcome& outcome = one.outcome();
        report::Run run = run_of(outcome, input.specification, *input.protocol, cut, session.sources);
        if (findings.size() > 1)
            result.text += fmt::format("finding {} of {}, {}: {}\n", i + 1, findings.size(),
                                       how_often(one.finding), run.ending);
        if (one.shrunk) result.text += how_it_shrank(one) + '\n';
        for (const std::string& note : expectations(session, input, outcome)) result.text += note + '\n';
        if (!outcome.errors.empty())
            result.text += "the component's standard error ends with:\n" + last_lines(outcome.errors);
        result.text += one.replay.empty() ? "not saved: the store cannot be written\n"
                                          : fmt::format("saved; try it again with: {}\n", one.replay);
        if (i == 0)
            result.witness = std::move(run);
        else
            result.text += report::print(run, session.style());
        all.push_back(to_json(one));
    }
    result.extra["failure"] = all.empty() ? report::Json() : all.front();
    result.extra["findings"] = std::move(all);
}

report::CampaignPage page_of(Session& session, const ProtocolInput& input, model::RoleId cut,
                             const TestRequest& request, const drive::CampaignResult& campaign,
                             const std::vector<Reported>& findings,
                             const std::vector<std::string>& never_seen) {
    report::CampaignPage page;
    page.title = fmt::format("{} of {} in {}", input.specification.alphabet->name(cut),
                             input.protocol->name(), request.file);
    page.verdict = findings.empty()
                       ? std::string(base::to_string(session.result.answer.value_or(base::Answer::undecided)))
                       : "fails";
    page.reason = session.result.reason;
    page.command = request.command.empty() ? "a component that was running" : request.command;
    page.facts = {{"sessions", std::to_string(campaign.sessions)},
                  {"messages", std::to_string(campaign.messages)},
                  {"completed", std::to_string(campaign.completed)},
                  {"failed", std::to_string(campaign.fail)},
                  {"unfinished", std::to_string(campaign.unfinished)},
                  {"seed", std::to_string(session.options.seed)}};
    if (campaign.mute > 0) page.facts.emplace_back("nothing sent", std::to_string(campaign.mute));
    for (const Reported& one : findings) {
        const drive::Outcome& outcome = one.outcome();
        report::PageFinding f;
        f.title = drive::to_string(outcome.problem);
        f.reason = outcome.reason;
        f.frequency = one.finding.known_before
                          ? how_often(one.finding)
                          : fmt::format("{} of {}, first in session {}", one.finding.count,
                                        counted(campaign.sessions, "session"), one.finding.session);
        if (one.shrunk) f.frequency += "; " + how_it_shrank(one);
        f.notes = expectations(session, input, outcome);
        f.chart_svg = report::to_svg(
            report::chart_of(run_of(outcome, input.specification, *input.protocol, cut, session.sources)));
        f.log = last_lines(outcome.errors);
        f.replay = one.replay;
        page.findings.push_back(std::move(f));
    }
    page.lines = source_lines(session, input, campaign.coverage);
    page.never_seen = never_seen;
    add_machine(session, input, cut, campaign.coverage, page);
    page.covered = campaign.coverage.covered();
    page.total = campaign.coverage.steps.size();
    page.curve = campaign.curve;
    page.sessions = campaign.sessions;
    page.passed = campaign.completed;
    page.failed = campaign.fail;
    page.unfinished = campaign.unfinished;
    return page;
}

}  // namespace treaty::cli
