#include "api/check_properties.h"

#include <fmt/format.h>

#include "api/input/inputs.h"
#include "watch/codes.h"

namespace treaty::api {
namespace {

model::Run run_of(const ProtocolInput& input, const watch::PropertyCheckResult& result) {
    const model::Specification& spec = input.specification;
    model::Run run;
    for (model::RoleId role : input.protocol->roles()) run.roles.emplace_back(spec.alphabet->name(role));
    for (const watch::RunStep& step : result.run) {
        model::RunEvent& event = run.events.emplace_back(model::event_of(*spec.alphabet, step.label));
        model::add_values(event, spec, spec.alphabet->event(step.label).message, step.values);
    }
    return run;
}

void conclude(const Inquiry& inquiry, const CheckPropertiesAnswer& answer) {
    std::size_t wrong = 0, unknown = 0, all = answer.properties.size();
    for (const CheckedProperty& one : answer.properties) {
        wrong +=
            one.status == watch::PropertyStatus::violated || one.status == watch::PropertyStatus::vacuous;
        unknown += one.status == watch::PropertyStatus::undecided;
    }
    if (wrong > 0) return inquiry.fails(fmt::format("{} of {} properties are not correct", wrong, all));
    if (unknown > 0)
        return inquiry.undecided(fmt::format("{} of {} properties are not decided", unknown, all));
    inquiry.holds("every property is correct");
}

void check_properties(const Inquiry& inquiry, const ProtocolInput& input, CheckPropertiesAnswer& answer) {
    const model::Specification& spec = input.specification;
    watch::PropertyCheckLimits limits;
    if (inquiry.context.states) limits.paths = *inquiry.context.states;
    limits.deadline = inquiry.context.deadline;
    for (std::uint32_t i = 0; i < spec.properties.size(); ++i) {
        std::string name(spec.names->text(spec.properties[i].name));
        if (inquiry.context.progress)
            inquiry.context.progress(CountProgress{"properties", i, spec.properties.size(), name});
        watch::PropertyCheckResult result = watch::check_property(spec, *input.protocol, i, limits);
        model::Run run = run_of(input, result);
        if (result.status == watch::PropertyStatus::violated && !answer.witness) {
            answer.witness = run;
            answer.witness->ending = fmt::format("{} is violated here", name);
        }
        answer.properties.push_back({std::move(name), result.status, result.reason, std::move(run)});
    }
    conclude(inquiry, answer);
}

}  // namespace

CheckPropertiesAnswer check_properties(const Workspace& workspace, const CheckPropertiesQuestion& question,
                                       const Context& context) {
    CheckPropertiesAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (!input) return answer;
    if (input->specification.properties.empty())
        inquiry.report(watch::codes::log_unreadable, "the file has no property");
    else
        check_properties(inquiry, *input, answer);
    return answer;
}

}  // namespace treaty::api
