#include "testgen/projections.h"

#include <fmt/format.h>

#include "base/check.h"
#include "choreo/determinise.h"
#include "choreo/minimise.h"
#include "choreo/project.h"
#include "choreo/unfold.h"

namespace treaty::testgen {
namespace {

bool has_loops(const model::Protocol& protocol) {
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        model::NodeKind kind = protocol[model::NodeId(i)].kind;
        if (kind == model::NodeKind::repeat || kind == model::NodeKind::while_loop ||
            kind == model::NodeKind::recursion)
            return true;
    }
    return false;
}

bool has_silent(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            if (edge.label == machine.alphabet().silent()) return true;
    return false;
}

}  // namespace

std::optional<std::size_t> Projections::position(model::RoleId role) const {
    auto roles = protocol->roles();
    for (std::size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == role) return i;
    return std::nullopt;
}

choreo::MachineResult without_data(const model::Machine& machine, const choreo::MachineLimits& limits) {
    if (!machine.has_data() && !has_silent(machine)) return choreo::MachineResult::of(machine);
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(model::StateId(s)));
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(model::StateId(s));
        for (std::size_t i = 0; i < edges.size(); ++i)
            builder.edge(model::StateId(s), edges[i].label, edges[i].target,
                         machine.node(model::StateId(s), i));
    }
    auto result = choreo::determinise(builder.finish().value(), limits);
    if (result) result.machine = choreo::minimise(*result);
    return result;
}

namespace {

// Machine by machine; why not if one is missing.
ProjectionsResult project_all(model::Specification& specification, std::shared_ptr<const model::Protocol> of,
                              const choreo::MachineLimits& limits) {
    ProjectionsResult result;
    Projections made;
    made.specification = &specification;
    made.protocol = std::move(of);
    for (model::RoleId role : made.protocol->roles()) {
        auto machine = choreo::project(specification, *made.protocol, role, limits);
        if (machine) machine = without_data(*machine, limits);
        if (!machine) {
            result.stopped = machine.stopped;
            result.reason =
                fmt::format("the machine of {}: {}", specification.alphabet->name(role), machine.reason);
            return result;
        }
        made.machines.push_back(std::move(*machine.machine));
    }
    result.projections = std::move(made);
    return result;
}

}  // namespace

model::Machine without_nodes(const model::Machine& machine) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(model::StateId(s)));
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            builder.edge(model::StateId(s), edge.label, edge.target);
    return builder.finish().value();
}

ProjectionsResult make_projections(model::Specification& specification, const model::Protocol& protocol,
                                   std::uint32_t times, const choreo::MachineLimits& limits) {
    bool loops = has_loops(protocol), truncated = false;
    std::shared_ptr<const model::Protocol> flat;
    if (loops) {
        auto unfolding = choreo::unfold(protocol, times);
        if (!unfolding) {
            ProjectionsResult result;
            result.reason = fmt::format("each loop unrolled {} times (--times): {}", times, unfolding.reason);
            return result;
        }
        truncated = unfolding.truncated;
        flat = std::make_shared<const model::Protocol>(std::move(*unfolding.protocol));
    } else {
        flat = std::make_shared<const model::Protocol>(protocol);
    }
    auto result = project_all(specification, std::move(flat), limits);
    if (!result.projections) return result;
    result.projections->has_data = protocol.has_data();
    result.projections->unfolded = loops;
    result.projections->truncated = truncated;
    if (!loops) return result;
    result.projections->looped = std::make_shared<const model::Protocol>(protocol);
    result.projections->times = times;
    auto with_loops = project_all(specification, result.projections->looped, limits).projections;
    if (with_loops)
        for (const model::Machine& machine : with_loops->machines)
            result.projections->unbounded.push_back(without_nodes(machine));
    return result;
}

}  // namespace treaty::testgen
