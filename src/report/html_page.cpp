#include "report/html_page.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/render_diagnostics.h"

namespace treaty::report {
namespace {

// Text for HTML and XML: what would be markup is escaped, control characters are replaced.
std::string escaped(std::string_view text) {
    std::string out;
    for (char c : base::printable(text, true)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --paper: #ffffff; --card: #f5f7fa; --line: #d9dfe7;
  --good: #1a7f45; --bad: #b3261e; --open: #8a5a00; --good-soft: #e3f4ea; --bad-soft: #fbe5e3; --mark: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --dim: #9aa6b5; --paper: #12161c; --card: #1b212a;
  --line: #303946; --good: #5fd08f; --bad: #ff8a80; --open: #f0c060; --good-soft: #16301f; --bad-soft: #3a1c1a; --mark: #8ab4ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
.badge { display: inline-block; padding: .1rem .7rem; border-radius: 1rem; font-weight: 600; margin-right: .5rem; }
.holds { background: var(--good-soft); color: var(--good); } .fails { background: var(--bad-soft); color: var(--bad); }
.undecided { background: var(--card); color: var(--open); }
.dim { color: var(--dim); } .facts { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none; }
.facts li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .8rem; }
.facts b { display: block; font-size: 1.15rem; }
.card { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: .5rem;
  padding: .8rem 1rem; margin: 0 0 1rem; break-inside: avoid; }
.machine svg { display: block; width: 100%; height: auto; } .machine .graph { filter: none !important; }
.machine .graph > polygon { fill: none; stroke: none; }
.machine .node ellipse { fill: var(--card); stroke: var(--ink); } .machine text { fill: var(--ink); }
.machine .edge path, .machine .edge polygon { stroke: var(--dim); } .machine .edge polygon { fill: var(--dim); }
.machine .seen path, .machine .seen polygon { stroke: var(--good); } .machine .seen polygon, .machine .seen text { fill: var(--good); }
.machine .unseen path, .machine .unseen polygon { stroke: var(--bad); } .machine .unseen polygon, .machine .unseen text { fill: var(--bad); }
.machine .unseen path { stroke-dasharray: 5 3; }
.states { max-height: 40rem; overflow: auto; border: 1px solid var(--line); border-radius: .4rem; margin: .6rem 0; }
.states table { border-collapse: collapse; width: 100%; } .states th { text-align: right; vertical-align: top; width: 1%; }
.states td, .states th { padding: .1rem .6rem; border-bottom: 1px solid var(--line); } .states tr:target { background: var(--card); }
.states .edge { display: inline-block; margin-right: 1.2rem; overflow-wrap: anywhere; } .states a { color: inherit; }
.states .seen { color: var(--good); } .states .unseen { color: var(--bad); }
.chart { overflow-x: auto; margin: .6rem 0; } .card .chart svg { max-width: none; height: auto; }
pre, code { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; overflow-x: auto; margin: .5rem 0; }
code.line { display: block; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--paper);
  border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; }
.source { padding: 0; } .source table { border-collapse: collapse; width: 100%; }
.source td { padding: 0 .6rem; white-space: pre; } .source td.n, .source td.c { text-align: right; color: var(--dim); width: 1%; }
.source tr.seen td.t { background: var(--good-soft); } .source tr.unseen td { background: var(--bad-soft); }
.curve { width: 100%; height: auto; max-width: 40rem; }
.curve path { fill: none; stroke: var(--mark); stroke-width: 2; } .curve line { stroke: var(--line); } .curve text { fill: var(--dim); font-size: 12px; }
@media print { .states { max-height: none; } body { max-width: none; padding: 0; } details > * { display: block; } }
)";

std::string curve_svg(const CampaignPage& page) {
    constexpr double width = 640, height = 180, left = 46, right = 12, top = 12, bottom = 28;
    double most = static_cast<double>(std::max<std::uint64_t>(page.sessions, 1)),
           all = static_cast<double>(std::max<std::size_t>(page.total, 1));
    auto x = [&](double sessions) { return left + (width - left - right) * sessions / most; };
    auto y = [&](double steps) { return height - bottom - (height - top - bottom) * steps / all; };
    std::string path = fmt::format("M{:.1f} {:.1f}", x(0), y(0));
    for (auto [sessions, steps] : page.curve)
        path +=
            fmt::format(" H{:.1f} V{:.1f}", x(static_cast<double>(sessions)), y(static_cast<double>(steps)));
    path += fmt::format(" H{:.1f}", x(most));
    std::string out = fmt::format(
        "<svg class=\"curve\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"steps seen over sessions\">",
        width, height);
    for (double part : {0.0, 0.5, 1.0})
        out += fmt::format(
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
            "text-anchor=\"end\">{5:.0f}</text>",
            left, width - right, y(all * part), left - 6, y(all * part) + 4, all * part);
    out += fmt::format(
        "<path d=\"{}\"/><text x=\"{}\" y=\"{}\">0</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} "
        "sessions</text></svg>",
        path, left, height - 8, width - right, height - 8, page.sessions);
    return out;
}

std::string finding_html(const PageFinding& f) {
    std::string out = fmt::format("<section class=\"card\"><h3>{}</h3><p>{}</p><p class=\"dim\">{}</p>",
                                  escaped(f.title), escaped(f.reason), escaped(f.frequency));
    for (const std::string& note : f.notes)
        out += fmt::format("<code class=\"line\">{}</code>", escaped(note));
    if (!f.chart_svg.empty()) out += "<div class=\"chart\">" + f.chart_svg + "</div>";
    if (!f.log.empty())
        out += fmt::format(
            "<details open><summary>What the component wrote to its standard "
            "error</summary><pre>{}</pre></details>",
            escaped(f.log));
    if (!f.replay.empty())
        out += fmt::format("<p>Try it again:</p><code class=\"line\">{}</code>", escaped(f.replay));
    return out + "</section>";
}

// Its size in points, as Graphviz writes it; 0 if it says nothing.
double width_of(std::string_view svg) {
    constexpr std::string_view mark = " width=\"";
    std::size_t at = svg.substr(0, svg.find('>')).find(mark);
    return at == std::string_view::npos
               ? 0
               : std::strtod(std::string(svg.substr(at + mark.size(), 20)).c_str(), nullptr);
}

// The picture fills the width of the page and no more than its own; its height follows.
std::string scaled(const std::string& svg, double width) {
    std::size_t head = svg.find('>');
    std::string out;
    for (std::size_t from = 0; from < head;) {  // without its own width and height
        std::size_t next = std::min({svg.find(" width=\"", from), svg.find(" height=\"", from), head});
        out += svg.substr(from, next - from);
        from = next == head ? head : svg.find('"', svg.find('"', next) + 1) + 1;
    }
    return out + fmt::format(" style=\"max-width: {:.0f}pt\"", width) + svg.substr(head);
}

std::string states_html(const std::vector<api::TestedState>& machine) {
    std::string out = "<div class=\"states\"><table>";
    for (std::size_t i = 0; i < machine.size(); ++i) {
        out += fmt::format("<tr id=\"state{}\"><th>{}</th><td>", i, escaped(machine[i].name));
        for (const api::TestedState::Edge& edge : machine[i].edges)
            out += fmt::format("<span class=\"edge{}\">{} → <a href=\"#state{}\">{}</a>{}</span>",
                               !edge.counted   ? ""
                               : edge.seen > 0 ? " seen"
                                               : " unseen",
                               escaped(edge.label), edge.target, escaped(machine.at(edge.target).name),
                               edge.counted ? fmt::format(" {}×", edge.seen) : "");
        out += machine[i].final ? "<span class=\"dim\">may end here</span></td></tr>" : "</td></tr>";
    }
    return out + "</table></div>\n";
}

std::string machine_html(const CampaignPage& page) {
    // Wider ones have letters of less than 7 points when they are scaled to the page.
    constexpr double widest = 1480;
    if (page.machine.empty() && page.machine_svg.empty()) return "";
    double width = width_of(page.machine_svg);
    bool drawn = !page.machine_svg.empty() && width > 0 && width <= widest;
    if (!drawn && page.machine.empty()) return "";
    std::string out = "<p>What the component does, state by state: green was seen, red ";
    out += drawn ? "and dashed never was.</p><div class=\"machine\">" + scaled(page.machine_svg, width) +
                       "</div>\n"
                 : "never was.</p>" + states_html(page.machine);
    return out;
}

std::string source_html(const CampaignPage& page) {
    std::string out = "<pre class=\"source\"><table>";
    for (const api::TestedLine& line : page.lines)
        out +=
            fmt::format("<tr{}><td class=\"n\">{}</td><td class=\"c\">{}</td><td class=\"t\">{}</td></tr>",
                        !line.is_step   ? ""
                        : line.seen > 0 ? " class=\"seen\""
                                        : " class=\"unseen\"",
                        line.number, line.is_step ? fmt::format("{}×", line.seen) : "", escaped(line.text));
    return out + "</table></pre>";
}

}  // namespace

std::string to_html(const CampaignPage& page) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><title>{0}</title><style>{1}</style></head><body>\n"
        "<h1>{0}</h1><p><span class=\"badge {2}\">{2}</span>{3}</p><code class=\"line\">{4}</code><ul "
        "class=\"facts\">",
        escaped(page.title), style, escaped(page.verdict), escaped(page.reason), escaped(page.command));
    for (const auto& [name, value] : page.facts)
        out += fmt::format("<li><b>{}</b><span class=\"dim\">{}</span></li>", escaped(value), escaped(name));
    out += "</ul>\n";
    if (!page.findings.empty()) out += "<h2>Findings</h2>\n";
    for (const PageFinding& f : page.findings) out += finding_html(f) + "\n";
    out += fmt::format("<h2>Coverage: {} of {} steps</h2>\n{}\n", page.covered, page.total, curve_svg(page));
    if (!page.never_seen.empty()) {
        out += "<p>Never seen:</p><ul>";
        for (const std::string& one : page.never_seen) out += "<li>" + escaped(one) + "</li>";
        out += "</ul>\n";
    }
    out += machine_html(page);
    return out + source_html(page) + "\n</body></html>\n";
}

std::string junit_suite(const CampaignPage& page, double seconds) {
    bool skipped = page.verdict == "undecided" || page.sessions == 0;
    bool failed = !skipped && page.failed > 0;
    std::string sessions = fmt::format("{} sessions: {} passed, {} failed, {} not finished", page.sessions,
                                       page.passed, page.failed, page.unfinished);
    std::string out = fmt::format(
        "<testsuite name=\"{}\" tests=\"{}\" "
        "failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
        escaped(page.title), page.findings.size() + 1, page.findings.size() + (failed ? 1 : 0),
        skipped ? 1 : 0, seconds);
    out += fmt::format("  <testcase classname=\"treaty\" name=\"sessions\" time=\"{:.3f}\">", seconds);
    if (skipped)
        out += fmt::format("<skipped message=\"{}\"/>", escaped(page.reason));
    else if (failed)
        out += fmt::format("<failure message=\"{} of {} sessions failed\"/>", page.failed, page.sessions);
    out += fmt::format("<system-out>{}</system-out></testcase>\n", sessions);
    for (const PageFinding& f : page.findings)
        out += fmt::format(
            "  <testcase classname=\"treaty\" name=\"{}\"><failure "
            "message=\"{}\">{}\n{}</failure></testcase>\n",
            escaped(f.title), escaped(f.reason), escaped(f.frequency), escaped(f.replay));
    return out + "</testsuite>\n";
}

std::string junit_suite_without_sessions(const std::string& title, const api::Answer& answer) {
    bool skipped = answer.verdict.has_value();
    std::string reason = skipped ? answer.reason : first_error(answer.diagnostics);
    return fmt::format(
        "<testsuite name=\"{}\" tests=\"1\" failures=\"0\" errors=\"{}\" skipped=\"{}\" time=\"0.000\">\n"
        "  <testcase classname=\"treaty\" name=\"sessions\" time=\"0.000\"><{} message=\"{}\"/></testcase>\n"
        "</testsuite>\n",
        escaped(title), skipped ? 0 : 1, skipped ? 1 : 0, skipped ? "skipped" : "error", escaped(reason));
}

std::string to_junit(const std::vector<std::string>& suites) {
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}</testsuites>\n",
                       fmt::join(suites, ""));
}

}  // namespace treaty::report
