// Pictures of a file as SVG, whose parts have the class line-7 if they come from line 7.
#include <set>

#include <fmt/format.h>

#include "api/editor/offers.h"
#include "api/show.h"
#include "draw/graphviz.h"
#include "draw/sequence_chart.h"
#include "report/render_diagnostics.h"
#include "workbench/methods.h"

namespace treaty::workbench {
namespace {

// Drawing beyond this is not worth waiting for while the user types.
constexpr std::chrono::seconds longest_layout{20};

Json protocols_of(const api::Workspace& workspace, const std::string& file) {
    Json names = Json::array();
    for (const api::Offer& offer : api::offers(workspace, file))
        if (offer.kind == api::OfferKind::draw && !offer.subject.empty()) names.push_back(offer.subject);
    return names;
}

// The lines of the blocks that are to be drawn folded.
std::set<std::uint32_t> folded_in(const Task& task) {
    std::set<std::uint32_t> lines;
    auto given = task.params.find("folded");
    if (given != task.params.end() && given->is_array())
        for (const Json& line : *given)
            if (line.is_number_unsigned()) lines.insert(line.get<std::uint32_t>());
    return lines;
}

api::ShowQuestion question_of(const Task& task, const api::Workspace& workspace) {
    api::ShowQuestion question;
    question.file = task.params.at("file").get<std::string>();
    question.protocol = task.params.value("protocol", "");
    std::string kind = task.params.value("kind", "");
    auto known = api::parse_show_kind(kind);
    if (!kind.empty() && !known) throw RequestFault{fmt::format("{} is not a kind of picture", kind)};
    question.kind = known.value_or(api::natural_picture(workspace, question.file));
    if (question.kind == api::ShowKind::machine || question.kind == api::ShowKind::net)
        question.role = task.params.value("role", "");
    question.lines = true;
    return question;
}

}  // namespace

Json draw_picture(Task& task, Walks&) {
    std::unique_ptr<api::Workspace> workspace = task.workspace();
    api::ShowQuestion question = question_of(task, *workspace);
    api::Context context = task.context();
    api::ShowAnswer answer = api::show(*workspace, question, context);
    Json result{{"kind", api::to_string(question.kind)},
                {"roles", api::roles_in(*workspace, question.file, question.protocol)},
                {"protocols", protocols_of(*workspace, question.file)}};
    Json lines = Json::object();
    std::vector<std::vector<std::uint32_t>> of_roles =
        api::lines_of_roles(*workspace, question.file, question.protocol);
    for (std::size_t i = 0; i < of_roles.size(); ++i)
        lines[result["roles"][i].get<std::string>()] = of_roles[i];
    result["lines"] = std::move(lines);
    if (!answer.incomplete.empty()) result["incomplete"] = answer.incomplete;
    if (answer.chart) {
        const api::ProtocolInput& input = *answer.chart;
        draw::Chart chart = draw::chart_of(input.specification, *input.protocol, answer.lines);
        result["svg"] = draw::to_svg(draw::folded(chart, folded_in(task)), draw::LineClasses::given);
    } else if (!answer.dot.empty()) {
        draw::Drawing drawing = draw::svg_of_dot(answer.dot, context.deadline, longest_layout);
        if (drawing.svg)
            result["svg"] = std::move(*drawing.svg);
        else
            result["fault"] = drawing.fault;
    } else {
        std::string fault = report::first_error(answer.diagnostics);
        result["fault"] = fault.empty() ? answer.reason : fault;
        result["broken"] = !answer.diagnostics.ok();
    }
    return result;
}

}  // namespace treaty::workbench
