#include "api/projection_texts.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "formats/language_rules.h"
#include "formats/load.h"
#include "model/system.h"

namespace treaty::api {
namespace {

using formats::Loaded;
using formats::LossPolicy;

// The machine among those of the other roles, which do nothing: that is how a notation whose events refer to
// machines carries one machine.
std::optional<model::System> alone(const model::Machine& machine, const model::Protocol& protocol) {
    std::vector<model::Machine> machines;
    for (model::RoleId role : protocol.roles()) {
        if (role == machine.role()) {
            machines.push_back(machine);
            continue;
        }
        model::MachineBuilder idle(std::string(machine.alphabet().name(role)), machine.alphabet_ptr(), role);
        idle.state(true);
        machines.push_back(idle.finish().value());
    }
    return model::make_system(std::string(protocol.name()), std::move(machines), {});
}

std::optional<std::string> text_of(const Inquiry& inquiry, const model::Machine& machine,
                                   const model::Protocol& protocol, const std::string& notation) {
    if (notation != "fsa")
        return formats::write(Loaded{machine}, notation, inquiry.diagnostics(), LossPolicy::allow).text;
    auto system = machine.role() ? alone(machine, protocol) : std::nullopt;
    if (system)
        return formats::write(Loaded{std::move(*system)}, notation, inquiry.diagnostics(), LossPolicy::allow)
            .text;
    inquiry.report(codes::unknown_output, ".fsa has one machine per role, not one for a group")
        .help("it can be written as .json, .aut, .dot, .svg or .txt");
    return std::nullopt;
}

}  // namespace

void write_texts(const Inquiry& inquiry, const ProjectQuestion& question, const model::Protocol& protocol,
                 const model::Specification* specification, ProjectAnswer& answer) {
    if (question.machine_notation) {
        answer.machine_text = text_of(inquiry, *answer.machine, protocol, *question.machine_notation);
        if (!answer.machine_text) return answer.verdict.reset();
    }
    if (!question.protocol_notation) return;
    std::string why;
    if (!specification)
        why = "the additions cannot be written into the text";
    else if (question.protocol_notation == "treaty")
        why = formats::treaty_text(*specification).fault;
    if (!why.empty()) return inquiry.undecided(fmt::format("{} is not written: {}", protocol.name(), why));
    answer.protocol_text = formats::write(Loaded{specification->copy()}, *question.protocol_notation,
                                          inquiry.diagnostics(), LossPolicy::refuse)
                               .text;
    if (!answer.protocol_text) answer.verdict.reset();
}

}  // namespace treaty::api
