#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

std::string count(std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

struct Counts {
    std::size_t interactions = 0;
    std::size_t messages = 0;
};

Counts count_steps(const model::Specification& specification, const model::Protocol& protocol) {
    Counts counts;
    std::vector<bool> used(specification.alphabet->message_count());
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction) continue;
        ++counts.interactions;
        if (!used[node.message.index]) ++counts.messages;
        used[node.message.index] = true;
    }
    return counts;
}

void summarise(Session& session, const std::string& path, const model::Specification& specification,
               const model::Protocol& protocol) {
    Counts counts = count_steps(specification, protocol);
    session.result.text += fmt::format(
        "{}: protocol {}: {}, {}, {}\n", path, protocol.name(), count(protocol.roles().size(), "role"),
        count(counts.messages, "message"), count(counts.interactions, "interaction"));
    report::Json roles = report::Json::array();
    for (model::RoleId role : protocol.roles()) roles.push_back(specification.alphabet->name(role));
    session.result.extra["protocols"].push_back({{"file", path},
                                                 {"name", protocol.name()},
                                                 {"roles", std::move(roles)},
                                                 {"messages", counts.messages},
                                                 {"interactions", counts.interactions}});
}

void check_specification(Session& session, const std::string& path, const model::Specification& specification,
                         const std::string& name) {
    if (!name.empty()) {
        const model::Protocol* protocol = choose_protocol(session, specification, name);
        if (protocol) summarise(session, path, specification, *protocol);
        return;
    }
    for (const model::Protocol& protocol : specification.protocols)
        summarise(session, path, specification, protocol);
}

void summarise(Session& session, const std::string& path, const Model& model) {
    std::string what;
    if (auto* net = std::get_if<model::Net>(&model))
        what = fmt::format("{}, {}", count(net->places().size(), "place"),
                           count(net->transitions().size(), "transition"));
    if (auto* machine = std::get_if<model::Machine>(&model))
        what = fmt::format("{}, {}", count(machine->state_count(), "state"),
                           count(machine->edge_count(), "transition"));
    if (auto* system = std::get_if<model::System>(&model)) what = count(system->machines().size(), "machine");
    session.result.text += fmt::format("{}: {}: {}\n", path, describe(model), what);
}

}  // namespace

int verb_check(Arguments arguments) {
    Session session("check");
    CommandLine line(session);
    std::vector<std::string> files;
    std::string protocol;
    line.positionals("FILE", files, "any file that Treaty reads");
    line.option("-p,--protocol", "NAME", protocol, "only this protocol of the file");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = files;
    session.result.extra["protocols"] = report::Json::array();
    for (const std::string& path : files) {
        auto model = load(session, path);
        if (!model) continue;
        if (auto* specification = std::get_if<model::Specification>(&*model))
            check_specification(session, path, *specification, protocol);
        else
            summarise(session, path, *model);
    }
    if (!session.diagnostics.ok()) return session.finish();
    return session.holds("no fault found");
}

}  // namespace treaty::cli
