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

#include "report/page_parts.inc"

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
    std::string out =
        fmt::format("<section class=\"card finding\"><h3>{}</h3><p>{}</p><p class=\"muted\">{}</p>",
                    escaped(f.title), escaped(f.reason), escaped(f.frequency));
    for (const std::string& note : f.notes)
        out += fmt::format("<code class=\"line\">{}</code>", escaped(note));
    if (!f.chart_svg.empty())
        out += "<div class=\"chart\" tabindex=\"0\" role=\"group\" aria-label=\"The failing run\">" +
               f.chart_svg + "</div>";
    if (!f.log.empty())
        out += fmt::format(
            "<details open><summary>What the component wrote to its standard "
            "error</summary><pre class=\"report\" tabindex=\"0\">{}</pre></details>",
            escaped(f.log));
    if (!f.replay.empty())
        out += fmt::format("<p>Try it again:</p><code class=\"line\">{}</code>", escaped(f.replay));
    return out + "</section>";
}

// Its size in points, as Graphviz writes it; 0 if there is none.
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
    std::string out =
        "<div class=\"list states\" tabindex=\"0\" role=\"group\" aria-label=\"States\"><table>";
    for (std::size_t i = 0; i < machine.size(); ++i) {
        out += fmt::format("<tr id=\"state{}\"><th scope=\"row\">{}</th><td>", i, escaped(machine[i].name));
        for (const api::TestedState::Edge& edge : machine[i].edges)
            out += fmt::format("<span class=\"edge{}\">{} → <a href=\"#state{}\">{}</a>{}</span>",
                               !edge.counted   ? ""
                               : edge.seen > 0 ? " seen"
                                               : " unseen",
                               escaped(edge.label), edge.target, escaped(machine.at(edge.target).name),
                               edge.counted ? fmt::format(" {}×", edge.seen) : "");
        out += machine[i].final ? "<span class=\"muted\">may end here</span></td></tr>" : "</td></tr>";
    }
    return out + "</table></div>\n";
}

// The picture can be moved and enlarged (web/shared/report.js).
std::string drawing_html(const std::string& svg, double width) {
    return "<div class=\"drawing machine\"><div class=\"frame\" tabindex=\"0\" role=\"group\" "
           "aria-label=\"The component's machine. Arrow keys move it, plus and minus zoom, zero shows all of "
           "it.\"><div class=\"paper\">" +
           scaled(svg, width) +
           "</div></div><div class=\"zoom\" hidden><button class=\"smaller\" "
           "aria-label=\"Smaller\">−</button><span class=\"muted percent\"></span><button class=\"larger\" "
           "aria-label=\"Larger\">+</button><button class=\"fit\">Fit</button></div></div>\n";
}

std::string machine_html(const CampaignPage& page) {
    // Of wider ones the letters are less than 7 points high when they are scaled to the page.
    constexpr double widest = 1480;
    if (page.machine.empty() && page.machine_svg.empty()) return "";
    double width = width_of(page.machine_svg);
    bool drawn = !page.machine_svg.empty() && width > 0;
    bool listed = !page.machine.empty() && (!drawn || width > widest);
    std::string out =
        "<h2>What the component does, state by state</h2><p class=\"muted\">Green was seen, red ";
    out += drawn ? "and dashed never was.</p>" + drawing_html(page.machine_svg, width) : "never was.</p>";
    return listed ? out + states_html(page.machine) : out;
}

std::string sessions_html(const CampaignPage& page) {
    if (page.records.empty()) return "";
    std::string out = "<h2>Sessions</h2>\n";
    if (page.records.size() < page.sessions)
        out += fmt::format("<p class=\"muted\">The first {} of {}.</p>", page.records.size(), page.sessions);
    out +=
        "<div class=\"list sessions\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Sessions\"><table><thead><tr>"
        "<th scope=\"col\" class=\"number\">session</th><th scope=\"col\">result</th>"
        "<th scope=\"col\" class=\"number\">messages</th><th scope=\"col\" class=\"number\">bytes sent</th>"
        "<th scope=\"col\" class=\"number\">bytes received</th><th scope=\"col\" class=\"number\">time</th>"
        "</tr></thead><tbody>\n";
    for (const api::TestedSession& one : page.records)
        out += fmt::format(
            "<tr{}><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}"
            "</td><td class=\"number\">{}</td><td class=\"number\">{:.1f} ms</td></tr>\n",
            one.failed ? " class=\"bad\"" : "", one.number, escaped(one.outcome), one.messages,
            one.sent_bytes, one.received_bytes, one.seconds * 1000);
    return out + "</tbody></table></div>\n";
}

std::string about_html(const CampaignPage& page) {
    std::string out = "<dl class=\"facts about\">";
    for (const auto& [name, value] : page.about)
        out += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    if (!page.invocation.empty())
        out += fmt::format("<dt>in a terminal</dt><dd><code>{}</code></dd>", escaped(page.invocation));
    return out + "</dl>\n";
}

std::string source_html(const CampaignPage& page) {
    std::string out =
        "<h2>The protocol, with how often each step was seen</h2><pre class=\"report source\" "
        "tabindex=\"0\"><table>";
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
        "content=\"width=device-width, initial-scale=1\"><title>{0}</title><style>{1}{2}</style></head>"
        "<body><main>\n<h1>{0}</h1><p class=\"verdict\"><span class=\"badge {3}\">{3}</span>{4}</p>\n"
        "<dl class=\"numbers\">",
        escaped(page.title), theme_css, report_css, escaped(page.verdict), escaped(page.reason));
    for (const auto& [name, value] : page.facts)
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
    out += "</dl>\n" + about_html(page);
    if (!page.findings.empty()) out += "<h2>Findings</h2>\n";
    for (const PageFinding& f : page.findings) out += finding_html(f) + "\n";
    out += fmt::format("<h2>Coverage: {} of {} steps</h2>\n{}\n", page.covered, page.total, curve_svg(page));
    if (!page.never_seen.empty()) {
        out += "<p>Never seen:</p><ul class=\"never\">";
        for (const std::string& one : page.never_seen) out += "<li>" + escaped(one) + "</li>";
        out += "</ul>\n";
    }
    out += machine_html(page) + sessions_html(page) + source_html(page);
    return out +
           fmt::format("\n</main><script type=\"module\">{}{}</script></body></html>\n", zoom_js, report_js);
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
