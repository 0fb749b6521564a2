// The commands of a protocol: what the editor shows above it, and what runs when one is chosen.
//
// A command answers with what `treaty` would print, and with the sequence chart of the protocol or of the run
// that goes wrong as SVG. `step` and `test` talk to a person or a program, so they answer with a command line
// for a terminal.
#include <array>
#include <map>

#include <fmt/format.h>

#include "api/check.h"
#include "api/explore.h"
#include "api/project.h"
#include "api/show.h"
#include "api/text_structure.h"
#include "draw/sequence_chart.h"
#include "lsp/convert.h"
#include "lsp/features.h"
#include "lsp/uri.h"
#include "report/check_report.h"
#include "report/explore_report.h"
#include "report/project_report.h"
#include "report/render_diagnostics.h"
#include "report/result.h"
#include "report/show_report.h"

namespace treaty::lsp {
namespace {

struct Target {
    std::string file, protocol, role;
};

// What a terminal would show of the answer.
Json shown(const Request& request, api::Answer& answer, const report::Own& own) {
    answer.diagnostics.sort_by_place();
    std::string text = report::render(answer.diagnostics, request.workspace.sources(), {});
    if (answer.verdict) text += report::to_terminal(answer, own, {});
    Json result{{"text", std::move(text)}};
    if (answer.witness) result["svg"] = draw::to_svg(draw::chart_of(*answer.witness));
    return result;
}

Json check(const Request& request, const Target& target) {
    api::CheckAnswer answer =
        api::check(request.workspace, {{target.file}, target.protocol, false}, request.context);
    return shown(request, answer, report::own_part(answer));
}

Json explore(const Request& request, const Target& target) {
    api::ExploreQuestion question;
    question.file = target.file;
    question.protocol = target.protocol;
    api::ExploreAnswer answer = api::explore(request.workspace, question, request.context);
    return shown(request, answer, report::own_part(answer));
}

Json project(const Request& request, const Target& target) {
    draw::Style plain;
    Json result{{"text", ""}};
    std::string text;
    for (const api::ProtocolPlace& one : api::protocols_of(request.workspace, target.file)) {
        if (one.name != target.protocol) continue;
        for (const std::string& role : one.roles) {
            if (!target.role.empty() && target.role != role) continue;
            api::ProjectAnswer answer = api::project(
                request.workspace, {target.file, target.protocol, role, {}, {}}, request.context);
            text +=
                shown(request, answer, report::own_part(answer, &plain))["text"].get<std::string>() + "\n";
        }
    }
    result["text"] = std::move(text);
    return result;
}

Json draw(const Request& request, const Target& target) {
    api::ShowQuestion question;
    question.file = target.file;
    question.protocol = target.protocol;
    api::ShowAnswer answer = api::show(request.workspace, question, request.context);
    Json result = shown(request, answer, {});
    if (!answer.chart) return result;
    draw::Chart chart = draw::chart_of(answer.chart->specification, *answer.chart->protocol);
    result["text"] = draw::to_text(chart, {});
    result["svg"] = draw::to_svg(chart);
    return result;
}

// As a word of a shell.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

Json step(const Request&, const Target& target) {
    return {{"terminal", fmt::format("treaty step {} -p {}", quoted(target.file), quoted(target.protocol))}};
}

Json test(const Request&, const Target& target) {
    return {{"terminal", fmt::format("treaty test {} -p {} --cut ROLE --run 'COMMAND' --via ADDRESS",
                                     quoted(target.file), quoted(target.protocol))},
            {"complete", false}};
}

struct Command {
    std::string_view name, title;
    Json (*run)(const Request&, const Target&);
};

constexpr std::array<Command, 6> commands{{
    {"treaty.check", "check", check},
    {"treaty.explore", "explore", explore},
    {"treaty.project", "project", project},
    {"treaty.draw", "draw", draw},
    {"treaty.step", "step", step},
    {"treaty.test", "test", test},
}};

}  // namespace

Json command_names() {
    Json names = Json::array();
    for (const Command& command : commands) names.push_back(command.name);
    return names;
}

Json code_lenses(Request& request) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    Json result = Json::array();
    for (const api::ProtocolPlace& one : api::protocols_of(request.workspace, request.path))
        for (const Command& command : commands)
            result.push_back(
                {{"range", range_json(*request.text, one.declared.begin, one.declared.end)},
                 {"command",
                  {{"title", command.title},
                   {"command", command.name},
                   {"arguments",
                    {{{"uri", request.params["textDocument"]["uri"]}, {"protocol", one.name}}}}}}});
    return result;
}

Json execute_command(Request& request) {
    std::string name = request.params.at("command").get<std::string>();
    const Json& argument = request.params.at("arguments").at(0);
    Target target{path_of(argument.at("uri").get<std::string>()), argument.value("protocol", ""),
                  argument.value("role", "")};
    for (const Command& command : commands)
        if (command.name == name) return command.run(request, target);
    throw RequestError(invalid_params, fmt::format("unknown command {}", name));
}

}  // namespace treaty::lsp
