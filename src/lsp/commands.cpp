// The commands of a protocol: what the editor shows above it, and what runs when one is chosen.
//
// A command answers with what `treaty` would print, and with a picture of the protocol or of the run that
// fails as SVG, whose parts have the class line-7 if they come from line 7. `step` and `test` talk to a
// person or a program, so they answer with a command line for a terminal.
#include <array>
#include <optional>

#include <fmt/format.h>

#include "api/check.h"
#include "api/check_properties.h"
#include "api/editor/offers.h"
#include "api/explore.h"
#include "api/project.h"
#include "api/run.h"
#include "api/show.h"
#include "draw/graphviz.h"
#include "draw/sequence_chart.h"
#include "lsp/convert.h"
#include "lsp/features.h"
#include "lsp/uri.h"
#include "report/answers.h"
#include "report/render_diagnostics.h"
#include "report/result.h"

namespace treaty::lsp {
namespace {

struct Target {
    std::string file, protocol, role, property, campaign;
    std::optional<api::ShowKind> kind;  // of a picture
};

std::string svg_of(const model::Run& run) {
    return draw::to_svg(draw::chart_of(run), draw::LineClasses::given);
}

// What a terminal would show of the answer.
Json shown(const Request& request, api::Answer& answer, const report::Own& own) {
    answer.diagnostics.sort_by_place();
    std::string text = report::render(answer.diagnostics, request.workspace.sources(), {});
    if (answer.verdict) text += report::to_terminal(answer, own, {});
    Json result{{"text", std::move(text)}};
    if (answer.witness) result["svg"] = svg_of(*answer.witness);
    return result;
}

Json check(const Request& request, const Target& target) {
    api::CheckAnswer answer =
        api::check(request.workspace, {{target.file}, target.protocol, false}, request.context);
    return shown(request, answer, report::own_part(answer));
}

Json check_property(const Request& request, const Target& target) {
    api::CheckPropertiesAnswer answer =
        api::check_properties(request.workspace, {target.file, target.protocol}, request.context);
    auto other = [&](const api::CheckedProperty& one) { return one.name != target.property; };
    if (!target.property.empty()) std::erase_if(answer.properties, other);
    answer.witness.reset();
    for (const api::CheckedProperty& one : answer.properties)
        if (!one.run.events.empty()) answer.witness = one.run;
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
    std::string text;
    for (const std::string& role : api::roles_in(request.workspace, target.file, target.protocol)) {
        if (!target.role.empty() && target.role != role) continue;
        api::ProjectAnswer answer =
            api::project(request.workspace, {target.file, target.protocol, role, {}, {}}, request.context);
        text += shown(request, answer, report::own_part(answer, &plain))["text"].get<std::string>() + "\n";
    }
    return {{"text", std::move(text)}};
}

Json draw(const Request& request, const Target& target) {
    api::ShowQuestion question;
    question.file = target.file;
    question.protocol = target.protocol;
    question.kind = target.kind.value_or(api::natural_picture(request.workspace, target.file));
    question.lines = true;
    bool of_roles = question.kind == api::ShowKind::machine || question.kind == api::ShowKind::net;
    if (of_roles) question.role = target.role;
    api::ShowAnswer answer = api::show(request.workspace, question, request.context);
    Json result = shown(request, answer, {});
    result["roles"] = api::roles_in(request.workspace, target.file, target.protocol);
    if (answer.chart) {
        const api::ProtocolInput& input = *answer.chart;
        result["text"] = draw::to_text(draw::chart_of(input.specification, *input.protocol), {});
        result["svg"] = draw::to_svg(draw::chart_of(input.specification, *input.protocol, answer.lines),
                                     draw::LineClasses::given);
    } else if (!answer.dot.empty()) {
        draw::Drawing drawing = draw::svg_of_dot(answer.dot, request.context.deadline);
        result[drawing.svg ? "svg" : "text"] =
            drawing.svg ? std::move(*drawing.svg) : std::move(drawing.fault);
    }
    return result;
}

Json run_script(const Request& request, const Target& target) {
    // Each run reads the script into the sources of its workspace.
    api::Workspace once([&](const std::string& path) { return request.workspace.read(path); });
    api::RunAnswer answer = api::run(once, {target.file}, request.context);
    answer.diagnostics.sort_by_place();
    std::string text = report::render(answer.diagnostics, once.sources(), {});
    if (answer.verdict) text += report::to_terminal(answer, report::own_part(answer), {});
    return {{"text", std::move(text)}};
}

Json campaigns(const Request& request, const Target& target) {
    Json result = Json::array();
    for (const api::CampaignPlace& one : api::campaigns_of(request.workspace, target.file))
        result.push_back({{"name", one.name}, {"cut", one.cut}, {"file", one.file}, {"line", one.line - 1}});
    return {{"campaigns", std::move(result)}};
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

Json run_campaign(const Request&, const Target& target) {
    return {{"terminal", fmt::format("treaty test --project {} --campaign {}", quoted(target.file),
                                     quoted(target.campaign))}};
}

struct Command {
    std::string_view name, title;
    Json (*run)(const Request&, const Target&);
    std::optional<api::OfferKind> offer;  // none: it is only asked for by name
    const char* subject = "protocol";     // what the offer is about, as its argument is called
};

constexpr std::array<Command, 10> commands{{
    {"treaty.check", "check", check, api::OfferKind::check},
    {"treaty.explore", "explore", explore, api::OfferKind::explore},
    {"treaty.project", "project", project, api::OfferKind::project},
    {"treaty.draw", "draw", draw, api::OfferKind::draw},
    {"treaty.step", "step", step, api::OfferKind::step},
    {"treaty.test", "test", test, api::OfferKind::test},
    {"treaty.checkProperty", "check", check_property, api::OfferKind::check_property, "property"},
    {"treaty.run", "run", run_script, api::OfferKind::run_script},
    {"treaty.runCampaign", "run", run_campaign, api::OfferKind::run_campaign, "campaign"},
    {"treaty.campaigns", "", campaigns, std::nullopt},
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
    for (const api::Offer& offer : api::offers(request.workspace, request.path))
        for (const Command& command : commands) {
            if (command.offer != offer.kind) continue;
            Json argument{{"uri", request.params["textDocument"]["uri"]}, {command.subject, offer.subject}};
            result.push_back({{"range", range_json(*request.text, offer.place.begin, offer.place.end)},
                              {"command",
                               {{"title", command.title},
                                {"command", command.name},
                                {"arguments", Json::array({std::move(argument)})}}}});
        }
    return result;
}

Json execute_command(Request& request) {
    std::string name = request.params.at("command").get<std::string>();
    const Json& argument = request.params.at("arguments").at(0);
    Target target{path_of(argument.at("uri").get<std::string>()),
                  argument.value("protocol", ""),
                  argument.value("role", ""),
                  argument.value("property", ""),
                  argument.value("campaign", ""),
                  {}};
    if (argument.contains("as")) {
        target.kind = api::parse_show_kind(argument.at("as").get<std::string>());
        if (!target.kind) throw RequestError(invalid_params, "unknown kind of picture");
    }
    for (const Command& command : commands)
        if (command.name == name) return command.run(request, target);
    throw RequestError(invalid_params, fmt::format("unknown command {}", name));
}

}  // namespace treaty::lsp
