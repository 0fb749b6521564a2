#include "api/models/processes.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "formats/names.h"
#include "formats/notation.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t default_states = 5'000'000;

std::optional<ProcessInput> from_script(const Inquiry& inquiry, const ProcessName& which,
                                        const explore::Limits& limits, std::vector<ProcessName>& chosen) {
    ProcessInput input;
    input.script = load_script(inquiry, which.file);
    if (!input.script) return std::nullopt;
    input.name = which.name;
    if (input.name.empty()) {
        auto names = input.script->definitions();
        if (names.empty()) {
            inquiry.report(codes::wrong_content, fmt::format("{} defines no process", which.file));
            return std::nullopt;
        }
        input.name = names.back();
        if (names.size() > 1) chosen.push_back({which.file, input.name});
    }
    input.graph = input.script->graph(input.name, limits);
    input.alphabet = input.script->alphabet();
    if (!input.graph) return std::nullopt;
    return input;
}

std::optional<model::Machine> machine_of(const Inquiry& inquiry, const ProcessName& which,
                                         ProcessInput& input) {
    Loaded loaded = load(inquiry, which.file);
    if (!loaded) return std::nullopt;
    if (const auto* machine = loaded.get<model::Machine>()) return *machine;
    if (const auto* net = loaded.get<model::Net>()) return machine_of_net(inquiry, *net);
    if (const auto* system = loaded.get<model::System>()) {
        if (which.name.empty()) return derive_space(inquiry, *system, default_states);
        for (const model::Machine& m : system->machines())
            if (m.name() == which.name || system->alphabet().name(m.role()) == which.name) return m;
        inquiry.report(codes::no_such_role, fmt::format("{} has no machine {}", which.file, which.name));
        return std::nullopt;
    }
    auto protocol = protocol_of(inquiry, std::move(loaded), which.file, "");
    if (!protocol) return std::nullopt;
    std::optional<model::Machine> machine;
    if (which.name.empty()) {
        machine = derive_machine(inquiry, *protocol);
    } else if (auto roles = choose_roles(inquiry, protocol->specification, *protocol->protocol, which.name)) {
        machine = derive_machine(inquiry, *protocol, *roles);
    }
    if (machine) input.data_left_aside = machine->has_data();
    return machine;
}

}  // namespace

explore::Limits process_limits(const Inquiry& inquiry) {
    explore::Limits limits = inquiry.context.search_limits();
    if (!inquiry.context.states) limits.states = default_states;
    return limits;
}

ProcessName split_process(const std::string& text) {
    // A name follows the extension of a file.
    for (const formats::Notation& notation : formats::notations()) {
        if (!notation.is_read()) continue;
        for (std::string_view extension : notation.extensions) {
            std::string mark = fmt::format(".{}:", extension);
            std::size_t at = text.find(mark);
            if (at != std::string::npos)
                return {text.substr(0, at + mark.size() - 1), text.substr(at + mark.size())};
        }
    }
    return {text, {}};
}

std::unique_ptr<csp::Script> load_script(const Inquiry& inquiry, const std::string& path) {
    auto file = read_text(inquiry, path);
    return file ? csp::Script::read(inquiry.sources(), *file, inquiry.diagnostics()) : nullptr;
}

std::optional<ProcessInput> load_process(const Inquiry& inquiry, const ProcessName& which,
                                         const explore::Limits& limits, std::vector<ProcessName>& chosen) {
    std::string extension = formats::extension_of(which.file);
    if (extension == "csp") return from_script(inquiry, which, limits, chosen);
    ProcessInput input;
    auto machine = machine_of(inquiry, which, input);
    if (!machine) return std::nullopt;
    input.name = which.name.empty() ? machine->name() : which.name;
    input.knows_ends = extension != "aut";
    input.machine = std::make_unique<model::Machine>(std::move(*machine));
    input.graph = std::make_unique<explore::MachineGraph>(*input.machine);
    input.alphabet = input.machine->alphabet_ptr();
    return input;
}

model::Run run_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace) {
    model::Run run;
    for (model::LabelId label : trace) run.events.push_back(model::event_of(alphabet, label));
    return run;
}

std::string print_trace(const model::Alphabet& alphabet, std::span<const model::LabelId> trace) {
    std::string out;
    for (model::LabelId label : trace) out += (out.empty() ? "" : ", ") + alphabet.print(label);
    return "<" + out + ">";
}

}  // namespace treaty::api
