#include "cli/processes.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "cli/derive.h"
#include "formats/codes.h"
#include "formats/names.h"

namespace treaty::cli {
namespace {

constexpr std::uint64_t default_states = 5'000'000;

// A name behind the extension of a file.
constexpr std::string_view extensions[] = {".csp",    ".fsa", ".aut", ".json",
                                           ".treaty", ".gc",  ".scr", ".nuscr"};

std::optional<ProcessInput> from_script(Session& session, const ProcessName& which,
                                        const explore::Limits& limits) {
    ProcessInput input;
    input.script = load_script(session, which.file);
    if (!input.script) return std::nullopt;
    input.name = which.name;
    if (input.name.empty()) {
        auto names = input.script->definitions();
        if (names.empty()) {
            session.report(codes::wrong_content, fmt::format("{} defines no process", which.file));
            return std::nullopt;
        }
        input.name = names.back();
        if (names.size() > 1)
            session.result.text += fmt::format("{} means its last definition, {}\n", which.file, input.name);
    }
    input.graph = input.script->graph(input.name, limits);
    input.alphabet = input.script->alphabet();
    if (!input.graph) return std::nullopt;
    return input;
}

std::optional<model::Machine> machine_of(Session& session, const ProcessName& which, ProcessInput& input) {
    Loaded loaded = load(session, which.file);
    if (!loaded) return std::nullopt;
    if (const auto* machine = loaded.get<model::Machine>()) return *machine;
    if (const auto* net = loaded.get<model::Net>()) return machine_of_net(session, *net);
    if (const auto* system = loaded.get<model::System>()) {
        if (which.name.empty()) return derive_space(session, *system, default_states);
        for (const model::Machine& m : system->machines())
            if (m.name() == which.name || system->alphabet().name(m.role()) == which.name) return m;
        session.report(codes::no_such_role, fmt::format("{} has no machine {}", which.file, which.name));
        return std::nullopt;
    }
    auto protocol = protocol_of(session, std::move(loaded), which.file, "");
    if (!protocol) return std::nullopt;
    std::optional<model::Machine> machine;
    if (which.name.empty()) {
        machine = derive_machine(session, *protocol);
    } else if (auto roles = choose_roles(session, protocol->specification, *protocol->protocol, which.name)) {
        machine = derive_machine(session, *protocol, *roles);
    }
    if (machine) input.data_left_aside = machine->has_data();
    return machine;
}

}  // namespace

explore::Limits process_limits(const Session& session) {
    explore::Limits limits = session.options.search_limits();
    if (!session.options.states) limits.states = default_states;
    return limits;
}

ProcessName split_process(const std::string& text) {
    for (std::string_view extension : extensions) {
        std::string mark = std::string(extension) + ":";
        std::size_t at = text.find(mark);
        if (at != std::string::npos)
            return {text.substr(0, at + extension.size()), text.substr(at + mark.size())};
    }
    return {text, {}};
}

std::unique_ptr<csp::Script> load_script(Session& session, const std::string& path) {
    base::FileText file = base::read_file(path);
    if (!file.text) {
        session.report(formats::codes::unreadable, file.fault);
        return nullptr;
    }
    base::FileId id = session.sources.add(path, std::move(*file.text));
    return csp::Script::read(session.sources, id, session.diagnostics);
}

std::optional<ProcessInput> load_process(Session& session, const ProcessName& which,
                                         const explore::Limits& limits) {
    std::string extension = formats::extension_of(which.file);
    if (extension == "csp") return from_script(session, which, limits);
    ProcessInput input;
    auto machine = machine_of(session, which, input);
    if (!machine) return std::nullopt;
    input.name = which.name.empty() ? machine->name() : which.name;
    input.knows_ends = extension != "aut";
    input.machine = std::make_unique<model::Machine>(std::move(*machine));
    input.graph = std::make_unique<explore::MachineGraph>(*input.machine);
    input.alphabet = input.machine->alphabet_ptr();
    return input;
}

report::RunEvent event_of(const model::Alphabet& alphabet, model::LabelId label) {
    const model::Event& event = alphabet.event(label);
    report::RunEvent out;
    out.direction = report::Direction::none;
    switch (event.kind) {
        case model::EventKind::silent: out.message = "tau"; return out;
        case model::EventKind::plain: out.message = alphabet.name(event.message); return out;
        case model::EventKind::interaction: out.direction = report::Direction::both; break;
        case model::EventKind::send: out.direction = report::Direction::sent; break;
        case model::EventKind::receive: out.direction = report::Direction::received; break;
    }
    out.from = alphabet.name(event.from);
    out.to = alphabet.name(event.to);
    out.message = alphabet.name(event.message);
    return out;
}

report::Run run_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace) {
    report::Run run;
    for (model::LabelId label : trace) run.events.push_back(event_of(alphabet, label));
    return run;
}

std::string print_trace(const model::Alphabet& alphabet, std::span<const model::LabelId> trace) {
    std::string out;
    for (model::LabelId label : trace) out += (out.empty() ? "" : ", ") + alphabet.print(label);
    return "<" + out + ">";
}

report::Json to_json(const model::Alphabet& alphabet, const explore::Counterexample& found) {
    constexpr std::string_view kinds[] = {"event", "ending", "refusal", "divergence"};
    report::Json trace = report::Json::array();
    for (model::LabelId label : found.trace) trace.push_back(alphabet.print(label));
    report::Json out = {{"kind", kinds[static_cast<std::size_t>(found.violation)]},
                        {"trace", std::move(trace)},
                        {"allowed", found.allowed}};
    if (found.violation != explore::Violation::refusal) return out;
    report::Json offers = report::Json::array();
    for (model::LabelId label : found.accepted)
        offers.push_back(label.index == 0 ? std::string("tick") : alphabet.print(label));
    out["offers"] = std::move(offers);
    out["refuses"] = found.refused;
    out["must_offer_one_of"] = found.wanted;
    return out;
}

void add_counterexample(Session& session, const model::Alphabet& alphabet,
                        const explore::Counterexample& found) {
    report::Run run = run_of(alphabet, found.trace);
    if (found.violation == explore::Violation::event) run.failing = found.trace.size() - 1;
    run.ending = session.result.reason;
    session.result.witness = std::move(run);
    session.result.extra["counterexample"] = to_json(alphabet, found);
}

}  // namespace treaty::cli
