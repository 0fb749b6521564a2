#include "api/witness.h"

#include <algorithm>

#include <fmt/format.h>

#include "explore/waiting.h"
#include "symbolic/expand_values.h"

namespace treaty::api {
namespace {

std::string waiting(const model::System& system, const explore::Unsafe& unsafe) {
    auto position = system.machine_of(unsafe.role);
    if (!position) return "a role waits for ever";
    const model::Machine& machine = system.machines()[*position];
    for (const model::Edge& edge : machine.out(unsafe.end.states[*position])) {
        const model::Event& event = machine.alphabet().event(edge.label);
        if (event.kind != model::EventKind::receive) continue;
        std::string_view message = symbolic::without_data(machine.alphabet().name(event.message));
        if (!message.empty())
            return fmt::format("{} must send {} to {}, but no data is allowed",
                               system.alphabet().name(unsafe.role), message,
                               machine.alphabet().name(event.from));
    }
    return fmt::format("{} {}", system.alphabet().name(unsafe.role),
                       explore::waiting_text(machine, unsafe.end.states[*position], system.channels()));
}

std::string print(const model::Alphabet& alphabet, const explore::Parcel& parcel) {
    return fmt::format("{} from {}", alphabet.name(parcel.message), alphabet.name(parcel.from));
}

// The oldest messages of the queues that the role reads, none of which it takes.
std::string in_the_way(const model::System& system, const explore::Unsafe& unsafe) {
    explore::Semantics semantics(system);
    const model::Machine& machine = system.machines()[*system.machine_of(unsafe.role)];
    std::vector<std::string> heads;
    for (const model::Edge& edge : machine.out(unsafe.end.states[*system.machine_of(unsafe.role)])) {
        const auto& queue = unsafe.end.contents[semantics.channel_of(system.alphabet().event(edge.label))];
        std::string head = queue.empty() ? "" : print(system.alphabet(), queue.front());
        if (!head.empty() && std::find(heads.begin(), heads.end(), head) == heads.end())
            heads.push_back(head);
    }
    return fmt::format("{} come{} first", fmt::join(heads, " and "), heads.size() == 1 ? "s" : "");
}

std::string channel_name(const model::System& system, const explore::Channel& channel) {
    const model::Alphabet& alphabet = system.alphabet();
    if (!channel.from) return fmt::format("the mailbox of {}", alphabet.name(channel.to));
    return fmt::format("the channel from {} to {}", alphabet.name(channel.from), alphabet.name(channel.to));
}

// The position in the protocol, from the edge that was taken.
model::NodeId node_of(const model::Machine& machine, model::StateId from, const explore::Step& step) {
    auto edges = machine.out(from);
    for (std::size_t i = 0; i < edges.size(); ++i)
        if (edges[i].label == step.label && edges[i].target == step.target) return machine.node(from, i);
    return {};
}

}  // namespace

std::string describe(const model::System& system, const explore::Unsafe& unsafe) {
    switch (unsafe.kind) {
        case explore::UnsafeKind::deadlock: return fmt::format("deadlock: {}", waiting(system, unsafe));
        case explore::UnsafeKind::orphan_message:
            return fmt::format("orphan message: {} to {} is never received",
                               print(system.alphabet(), unsafe.parcel),
                               system.alphabet().name(unsafe.channel.to));
        case explore::UnsafeKind::unspecified_reception:
            return fmt::format("unspecified reception: {}, but {}", waiting(system, unsafe),
                               in_the_way(system, unsafe));
        case explore::UnsafeKind::stuck_role:
            return fmt::format("stuck role: {}, while the others continue", waiting(system, unsafe));
        case explore::UnsafeKind::unbounded_channel:
            return fmt::format("unbounded channel: {} grows for ever", channel_name(system, unsafe.channel));
    }
    return {};
}

model::Run run_of(const model::System& system, std::span<const explore::Step> steps,
                  const model::Protocol* protocol, const base::SourceMap& sources) {
    model::Run run;
    std::vector<model::StateId> at;
    for (const model::Machine& machine : system.machines()) {
        at.push_back(machine.initial());
        run.roles.emplace_back(system.alphabet().name(machine.role()));
    }
    for (const explore::Step& step : steps) {
        const model::Machine& machine = system.machines()[step.machine];
        model::RunEvent& event =
            run.events.emplace_back(model::event_of(system.alphabet(), step.label, machine.role()));
        event.line = model::line_of(protocol, node_of(machine, at[step.machine], step), sources);
        at[step.machine] = step.target;
    }
    return run;
}

model::Run witness_of(const model::System& system, const explore::Unsafe& unsafe,
                      const model::Protocol* protocol, const base::SourceMap& sources) {
    model::Run run = run_of(system, unsafe.run, protocol, sources);
    run.ending = describe(system, unsafe);
    return run;
}

model::Run witness_of(const verify::ProtocolSafety& safety, const model::Protocol& protocol,
                      const base::SourceMap& sources) {
    if (safety.unsafe) return witness_of(*safety.system, *safety.unsafe, &protocol, sources);
    model::Run run = run_of(*safety.system, safety.run, &protocol, sources);
    run.ending = safety.reason;
    if (safety.unserved) {
        run.ending += fmt::format(" (line {})", model::line_of(&protocol, safety.unserved, sources));
    } else {
        run.failing = safety.run.size() - 1;
    }
    return run;
}

model::Run witness_of(const symbolic::DataCheck& found, const model::Protocol& protocol,
                      const base::SourceMap& sources) {
    const model::SymbolicGraph& graph = found.graph;
    model::Run run;
    for (const auto& step : found.incoherence.run) {
        const model::GraphEdge& edge = graph.states[step.state].out[step.edge];
        model::RunEvent& event = run.events.emplace_back(model::event_of(*graph.alphabet, edge.label));
        event.direction = model::Direction::both;
        model::add_values(event, *graph.pool, step.data);
        event.line = model::line_of(&protocol, edge.node, sources);
    }
    run.ending = "nothing is allowed to be sent here";
    return run;
}

}  // namespace treaty::api
