#include "api/convert.h"

#include <fmt/format.h>

#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "choreo/unserved_wait.h"
#include "formats/conversion.h"
#include "formats/load.h"
#include "formats/names.h"
#include "formats/notation.h"
#include "lang/format.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t largest_space = 200'000;

// What the notation holds, when it holds one thing only.
std::optional<ModelKind> kind_of(const ConvertQuestion& question) {
    if (question.kind) return question.kind;
    const formats::Notation* notation = formats::find_notation(question.notation);
    if (!notation || notation->write_specification) return std::nullopt;
    if (notation->write_system) return ModelKind::system;
    if (notation->write_net) return ModelKind::net;
    if (notation->write_machine) return ModelKind::machine;
    return std::nullopt;
}

template <class Model>
Loaded loaded_of(std::optional<Model> model) {
    Loaded loaded;
    if (model) loaded.model = std::move(*model);
    return loaded;
}

Loaded derive(const Inquiry& inquiry, const ProtocolInput& input, ModelKind kind) {
    if (kind == ModelKind::system)
        return loaded_of(derive_system(inquiry, input, {}, inquiry.context.machine_limits()));
    if (kind == ModelKind::machine) return loaded_of(derive_machine(inquiry, input));
    return loaded_of(derive_net(inquiry, input));
}

// Machines and nets carry the conditions of a step on its data, not those of the message's declaration.
void lose_conditions(const ProtocolInput& input, formats::Conversion& conversion) {
    const model::Protocol& protocol = *input.protocol;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction || !input.specification.message(node.message).where)
            continue;
        conversion.lose(node.span,
                        fmt::format(".{} cannot express the condition on message `{}`", conversion.notation(),
                                    input.specification.alphabet->name(node.message)));
    }
}

// A role that has nothing left to do has finished, as its machine sees it. So machines of single roles lose
// that a `wait` waits for ever: what `check` reports for the protocol would hold for them.
void lose_waits(const Inquiry& inquiry, const ProtocolInput& input, formats::Conversion& conversion) {
    const model::Protocol& protocol = *input.protocol;
    choreo::WaitResult found =
        choreo::find_unserved_wait(input.specification, protocol, inquiry.context.machine_limits());
    if (!found.reason.empty())
        conversion.lose({}, fmt::format("the machines of the roles would end where a `wait` waits for ever, "
                                        "and whether one does is not known: {}",
                                        found.reason));
    if (!found.unserved) return;
    const model::Node& wait = protocol[found.unserved->wait];
    conversion.lose(wait.span, fmt::format("`wait {}` can wait for ever, but the machines of the roles would "
                                           "end there: a state without transitions is final",
                                           protocol.semaphore_name(wait.semaphore)));
}

// For a protocol with interruptions, `check` leaves open how roles handle messages that cross one.
void lose_interruptions(const ProtocolInput& input, formats::Conversion& conversion) {
    const model::Protocol& protocol = *input.protocol;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind == model::NodeKind::interrupt)
            conversion.lose(node.span,
                            "machines cannot express that a role may handle messages that cross an "
                            "interruption: each would be a fault of the machines");
    }
}

formats::LossPolicy policy_of(const ConvertQuestion& question) {
    return question.allow_loss ? formats::LossPolicy::allow : formats::LossPolicy::refuse;
}

// The model that is wanted, made from the one that was read. Holds nothing after reporting why.
Loaded wanted(const Inquiry& inquiry, const ConvertQuestion& question, Loaded loaded) {
    auto kind = kind_of(question);
    if (!kind || *kind == ModelKind::protocol) return loaded;
    if (loaded.get<model::Specification>()) {
        auto input = protocol_of(inquiry, std::move(loaded), question.file, question.protocol);
        if (!input) return {};
        formats::Conversion conversion(question.notation, inquiry.diagnostics(), policy_of(question));
        lose_conditions(*input, conversion);
        if (*kind == ModelKind::system) {
            lose_waits(inquiry, *input, conversion);
            lose_interruptions(*input, conversion);
        }
        return derive(inquiry, *input, *kind);
    }
    if (*kind != ModelKind::machine) return loaded;
    if (auto* net = loaded.get<model::Net>()) return loaded_of(machine_of_net(inquiry, *net));
    if (auto* system = loaded.get<model::System>())
        return loaded_of(derive_space(inquiry, *system, largest_space));
    return loaded;
}

// The text with comments that the reader made of a file in another notation, laid out.
std::optional<std::string> made_text(const Inquiry& inquiry, const ConvertQuestion& question) {
    if (question.notation != "treaty" || question.kind.value_or(ModelKind::protocol) != ModelKind::protocol)
        return std::nullopt;
    std::string path = formats::path_of_made_text(question.file);
    std::shared_ptr<const Document> document = inquiry.workspace.open(question.file);
    for (base::FileId file : document->sources) {
        base::Diagnostics ignored;
        if (inquiry.sources().path(file) == path) return lang::format(inquiry.sources(), file, ignored);
    }
    return std::nullopt;
}

}  // namespace

std::optional<ModelKind> parse_model_kind(std::string_view text) {
    if (text == "protocol") return ModelKind::protocol;
    if (text == "system") return ModelKind::system;
    if (text == "machine") return ModelKind::machine;
    if (text == "net") return ModelKind::net;
    return std::nullopt;
}

std::string extension_of(std::string_view path) {
    return formats::extension_of(path);
}

ConvertAnswer convert(const Workspace& workspace, const ConvertQuestion& question, const Context& context) {
    ConvertAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    Loaded loaded = load(inquiry, question.file);
    if (loaded) loaded = wanted(inquiry, question, std::move(loaded));
    if (!loaded) return answer;
    if (auto text = made_text(inquiry, question)) {
        answer.text = std::move(*text);
        inquiry.holds();
        return answer;
    }
    auto written = formats::write(loaded, question.notation, inquiry.diagnostics(), policy_of(question));
    if (!written.text || answer.diagnostics.errors() > 0) return answer;
    answer.text = std::move(*written.text);
    inquiry.holds();
    return answer;
}

}  // namespace treaty::api
