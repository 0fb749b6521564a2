#include "choreo/project.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"
#include "choreo/determinise.h"
#include "choreo/fold_silent_data.h"
#include "choreo/minimise.h"
#include "choreo/net_machine.h"
#include "choreo/project_net.h"
#include "choreo/remove_silent.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::RoleId;
using model::StateId;

model::EdgeData data_of(const Machine& m, StateId s, std::size_t i) {
    return m.has_data() ? m.data(s, i) : model::EdgeData{};
}

// States without outgoing edges are final: a role that has nothing left to do has finished.
Machine finish_dead_ends(const Machine& machine) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role(), machine.pool());
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        builder.state(machine.final(StateId(s)) || machine.out(StateId(s)).empty());
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(StateId(s));
        for (std::size_t i = 0; i < edges.size(); ++i)
            builder.edge(StateId(s), edges[i].label, edges[i].target, machine.node(StateId(s), i),
                         data_of(machine, StateId(s), i));
    }
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

Machine without_data(const Machine& machine) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(StateId(s)));
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(StateId(s));
        for (std::size_t i = 0; i < edges.size(); ++i)
            builder.edge(StateId(s), edges[i].label, edges[i].target, machine.node(StateId(s), i));
    }
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

MachineResult project_plain(const model::Specification& specification, const model::Protocol& protocol,
                            RoleId role, const MachineLimits& limits) {
    MachineResult machine = project(specification, protocol, role, limits);
    if (!machine || !machine->has_data()) return machine;
    machine = determinise(without_data(*machine), limits);
    if (!machine) return machine;
    return MachineResult::of(minimise(finish_dead_ends(*machine)));
}

template <typename Project>
SystemResult make_system_of(const model::Specification& specification, const model::Protocol& protocol,
                            model::Channels channels, const Project& project_role) {
    std::vector<Machine> machines;
    for (RoleId role : protocol.roles()) {
        MachineResult machine = project_role(role);
        if (!machine)
            return {std::nullopt, machine.stopped,
                    fmt::format("{}: {}", specification.alphabet->name(role), machine.reason)};
        machines.push_back(std::move(*machine));
    }
    std::string fault;
    auto system = model::make_system(std::string(protocol.name()), std::move(machines), channels, &fault);
    return {std::move(system), base::StopReason::none, fault};
}

// The product of machines that never share an event.
MachineResult product(std::string name, const std::vector<Machine>& parts, const MachineLimits& limits) {
    using Tuple = std::vector<std::uint32_t>;
    model::MachineBuilder builder(std::move(name), parts[0].alphabet_ptr(), {}, parts[0].pool());
    LimitWatch watch(limits);
    absl::flat_hash_map<Tuple, std::uint32_t> ids;
    std::vector<Tuple> tuples;
    auto add = [&](const Tuple& tuple) {
        auto [known, added] = ids.try_emplace(tuple, static_cast<std::uint32_t>(tuples.size()));
        if (added) {
            bool final = true;
            for (std::size_t i = 0; i < parts.size(); ++i) final = final && parts[i].final(StateId(tuple[i]));
            builder.state(final);
            tuples.push_back(tuple);
        }
        return StateId(known->second);
    };
    add(Tuple(parts.size(), 0));
    std::size_t edges = 0;
    for (std::size_t s = 0; s < tuples.size(); ++s) {
        auto stop = watch.ask(tuples.size(), tuples.size() * (64 + parts.size() * 8) + edges * 48);
        if (stop != base::StopReason::none) return MachineResult::stop(stop, describe(stop, limits));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            StateId own(tuples[s][i]);
            auto out = parts[i].out(own);
            for (std::size_t k = 0; k < out.size(); ++k) {
                Tuple next = tuples[s];
                next[i] = out[k].target.index;
                builder.edge(StateId(s), out[k].label, add(next), parts[i].node(own, k),
                             data_of(parts[i], own, k));
                ++edges;
            }
        }
    }
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return MachineResult::of(std::move(*result));
}

}  // namespace

MachineResult project(const model::Specification& specification, const model::Protocol& protocol, RoleId role,
                      const MachineLimits& limits) {
    auto net = project_net(specification, protocol, role);
    if (!net) return MachineResult::stop(base::StopReason::none, "a jump leaves a parallel branch");
    return role_machine(*net, role, limits);
}

MachineResult role_machine(const model::Net& net, RoleId role, const MachineLimits& limits) {
    MachineResult result = net_machine(net, limits, role);
    if (!result) return result;
    if (result->has_data()) result = MachineResult::of(fold_silent_data(remove_silent(*result)));
    result = determinise(*result, limits);
    if (!result) return result;
    return MachineResult::of(minimise(finish_dead_ends(*result)));
}

MachineResult project(const model::Specification& specification, const model::Protocol& protocol,
                      std::span<const RoleId> group, const MachineLimits& limits) {
    std::vector<RoleId> members(group.begin(), group.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.empty()) return MachineResult::stop(base::StopReason::none, "the group has no member");
    if (members.size() == 1) return project(specification, protocol, members[0], limits);
    std::vector<Machine> parts;
    std::string name;
    for (RoleId role : members) {
        MachineResult part = project(specification, protocol, role, limits);
        if (!part) return part;
        name.append(name.empty() ? "" : "+").append(part->name());
        parts.push_back(std::move(*part));
    }
    MachineResult whole = product(std::move(name), parts, limits);
    if (!whole) return whole;
    return MachineResult::of(minimise(*whole));
}

SystemResult make_projected_system(const model::Specification& specification, const model::Protocol& protocol,
                                   model::Channels channels, const MachineLimits& limits) {
    return make_system_of(specification, protocol, channels,
                          [&](RoleId role) { return project(specification, protocol, role, limits); });
}

SystemResult make_plain_system(const model::Specification& specification, const model::Protocol& protocol,
                               model::Channels channels, const MachineLimits& limits) {
    return make_system_of(specification, protocol, channels,
                          [&](RoleId role) { return project_plain(specification, protocol, role, limits); });
}

}  // namespace treaty::choreo
