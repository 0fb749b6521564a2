#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/project_smart.h"
#include "cli/verbs.h"
#include "formats/dot.h"
#include "formats/language_rules.h"
#include "formats/load.h"
#include "formats/names.h"
#include "report/machine_text.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

// A system of the machine alone: the other roles are there, and do nothing. That is how a notation whose
// events point at machines carries one machine.
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

bool write_machine(Session& session, const model::Machine& machine, const ProtocolInput& input,
                   const std::string& output) {
    std::string extension = formats::extension_of(output);
    if (extension == "svg" || extension == "dot")
        return write_graph(session, formats::write_dot(machine), {output, {}});
    if (extension == "txt") return session.write(output, report::to_text(machine, report::Style{}));
    if (extension != "fsa") return write_model(session, Loaded{machine}, output, formats::LossPolicy::allow);
    auto system = machine.role() ? alone(machine, *input.protocol) : std::nullopt;
    if (system) return write_model(session, Loaded{*system}, output, formats::LossPolicy::allow);
    session
        .report(codes::unknown_output,
                fmt::format("{}: .fsa holds one machine a role, not that of a group", output))
        .help("it can be written as .json, .aut, .dot, .svg or .txt");
    return false;
}

}  // namespace

int verb_project(Arguments arguments) {
    Session session("project");
    CommandLine line(session);
    std::string file, roles, protocol, output, mode = "sync", save;
    bool smart = false;
    line.positional("FILE", file, "a protocol");
    line.option("-r,--role", "ROLE", roles, "whose part; several, separated by commas, for a group",
                Needed::yes);
    line.option("-p,--protocol", "NAME", protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", output, "write the machine: .fsa, .json, .aut, .dot, .svg or .txt");
    line.flag("--smart", smart, "add the interactions that the protocol lacks to be realizable");
    line.option("--mode", "MODE", mode, "with --smart: sync (default), sending, reception or disjoint");
    line.option("--save", "FILE", save, "with --smart: write the protocol with what was added");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    // What a role does not know is, like what it is not told, something to mend.
    auto knowing = smart ? lang::Knowing::left_open : lang::Knowing::demanded;
    auto input = protocol_of(session, formats::load(file, session.sources, session.diagnostics, knowing),
                             file, protocol);
    if (!input) return session.finish();
    auto group = choose_roles(session, input->specification, *input->protocol, roles);
    if (!group) return session.finish();
    Mended mended;
    if (smart) {
        auto made = add_interactions(session, *input, mode);
        if (!made) return session.finish();
        mended = std::move(*made);
    }
    auto machine =
        mended.graph ? project_mended(session, mended, *group) : derive_machine(session, *input, *group);
    if (!machine) return session.finish();
    session.result.quiet = true;
    session.result.extra["role"] = roles;
    session.result.extra["machine"] = report::to_json(*machine);
    if (!smart) session.result.extra["added"] = report::Json::array();
    if (output.empty()) {
        session.result.text +=
            fmt::format("{}: {}, {}\n", roles, report::counted(machine->state_count(), "state"),
                        report::counted(machine->edge_count(), "transition")) +
            report::to_text(*machine, session.style());
    } else if (!write_machine(session, *machine, *input, output)) {
        return session.finish();
    }
    if (!save.empty() && mended.graph) {
        session.result.answer = base::Answer::undecided;
        session.result.reason =
            fmt::format("{} is not written: the additions have no single place in the text", save);
        return session.finish();
    }
    if (!save.empty() && formats::extension_of(save) == "treaty")
        if (auto text = formats::treaty_text(input->specification); !text.text) {
            session.result.answer = base::Answer::undecided;
            session.result.reason = fmt::format("{} is not written: {}", save, text.fault);
            return session.finish();
        }
    if (!save.empty() &&
        !write_model(session, Loaded{std::move(input->specification)}, save, formats::LossPolicy::refuse))
        return session.finish();
    return session.holds();
}

}  // namespace treaty::cli
