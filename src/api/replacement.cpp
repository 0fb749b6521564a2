#include "api/replacement.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "api/inputs.h"
#include "formats/load.h"
#include "testgen/translate.h"

namespace treaty::api {
namespace {

// The machine of that name in the file.
std::optional<model::Machine> load_machine(const Inquiry& inquiry, const std::string& path,
                                           std::string_view role) {
    Loaded loaded = load(inquiry, path);
    if (!loaded) return std::nullopt;
    if (auto* machine = loaded.get<model::Machine>()) return *machine;
    if (auto* system = loaded.get<model::System>()) {
        for (const model::Machine& machine : system->machines())
            if (system->alphabet().name(machine.role()) == role) return machine;
        inquiry.report(codes::bad_replacement, fmt::format("{} has no machine of {}", path, role));
        return std::nullopt;
    }
    inquiry.report(codes::bad_replacement,
                   fmt::format("{} contains {}, not machines", path, formats::describe(loaded)));
    return std::nullopt;
}

bool replace_one(const Inquiry& inquiry, const model::System& system, std::vector<model::Machine>& machines,
                 const std::string& replacement) {
    std::size_t equals = replacement.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == replacement.size()) {
        inquiry.report(codes::bad_usage,
                       fmt::format("--replace {} is not of the form ROLE=FILE", replacement));
        return false;
    }
    std::string name = replacement.substr(0, equals);
    model::RoleId role = system.alphabet().find_role(name);
    auto position = role ? system.machine_of(role) : std::nullopt;
    if (!position) {
        inquiry.report(codes::no_such_role, fmt::format("the system has no role {}", name));
        return false;
    }
    auto machine = load_machine(inquiry, replacement.substr(equals + 1), name);
    if (!machine) return false;
    auto translated = testgen::translate(*machine, role, system.alphabet_ptr());
    if (!translated) {
        inquiry.report(codes::bad_replacement, fmt::format("the machine of {} {}", name, translated.error()));
        return false;
    }
    machines[*position] = std::move(*translated);
    return true;
}

}  // namespace

std::optional<model::System> replace_machines(const Inquiry& inquiry, const model::System& system,
                                              const std::vector<std::string>& replacements) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    for (const std::string& replacement : replacements)
        if (!replace_one(inquiry, system, machines, replacement)) return std::nullopt;
    std::string fault;
    auto changed = model::make_system(system.name(), std::move(machines), system.channels(), &fault);
    if (!changed) inquiry.report(codes::bad_replacement, fault);
    return changed;
}

}  // namespace treaty::api
