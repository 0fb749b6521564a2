#include "cli/replacement.h"

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/inputs.h"
#include "formats/load.h"

namespace treaty::cli {
namespace {

// The machine with its labels interned in another alphabet, as the machine of that role.
std::optional<model::Machine> translate(const model::Machine& machine, model::RoleId role,
                                        const std::shared_ptr<model::Alphabet>& alphabet) {
    model::MachineBuilder builder(machine.name(), alphabet, role);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        builder.state(machine.final(model::StateId(s)), std::string(machine.state_name(model::StateId(s))));
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        for (const model::Edge& edge : machine.out(model::StateId(s))) {
            model::Event event = machine.alphabet().event(edge.label);
            if (event.from) event.from = alphabet->role(machine.alphabet().name(event.from));
            if (event.to) event.to = alphabet->role(machine.alphabet().name(event.to));
            if (event.message) event.message = alphabet->message(machine.alphabet().name(event.message));
            builder.edge(model::StateId(s), alphabet->label(event), edge.target);
        }
    }
    return builder.finish();
}

// The machine of that name in the file.
std::optional<model::Machine> load_machine(Session& session, const std::string& path, std::string_view role) {
    Loaded loaded = load(session, path);
    if (!loaded) return std::nullopt;
    if (auto* machine = loaded.get<model::Machine>()) return *machine;
    if (auto* system = loaded.get<model::System>()) {
        for (const model::Machine& machine : system->machines())
            if (system->alphabet().name(machine.role()) == role) return machine;
        session.report(codes::bad_replacement, fmt::format("{} has no machine of {}", path, role));
        return std::nullopt;
    }
    session.report(codes::bad_replacement,
                   fmt::format("{} holds {}, not machines", path, formats::describe(loaded)));
    return std::nullopt;
}

bool replace_one(Session& session, const model::System& system, std::vector<model::Machine>& machines,
                 const std::string& replacement) {
    std::size_t equals = replacement.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == replacement.size()) {
        session.report(codes::bad_usage,
                       fmt::format("--replace {} is not of the form ROLE=FILE", replacement));
        return false;
    }
    std::string name = replacement.substr(0, equals);
    model::RoleId role = system.alphabet().find_role(name);
    auto position = role ? system.machine_of(role) : std::nullopt;
    if (!position) {
        session.report(codes::no_such_role, fmt::format("the system has no role {}", name));
        return false;
    }
    auto machine = load_machine(session, replacement.substr(equals + 1), name);
    if (!machine) return false;
    std::size_t known = system.alphabet().role_count();
    auto translated = translate(*machine, role, system.alphabet_ptr());
    if (!translated || system.alphabet().role_count() > known) {
        session.report(codes::bad_replacement,
                       fmt::format("the machine of {} talks to a role that the system does not have", name));
        return false;
    }
    machines[*position] = std::move(*translated);
    return true;
}

}  // namespace

std::optional<model::System> replace_machines(Session& session, const model::System& system,
                                              const std::vector<std::string>& replacements) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    for (const std::string& replacement : replacements)
        if (!replace_one(session, system, machines, replacement)) return std::nullopt;
    std::string fault;
    auto changed = model::make_system(system.name(), std::move(machines), system.channels(), &fault);
    if (!changed) session.report(codes::bad_replacement, fault);
    return changed;
}

}  // namespace treaty::cli
