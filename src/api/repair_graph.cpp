#include "api/repair_graph.h"

#include <chrono>

#include <fmt/format.h>

#include "symbolic/reach.h"
#include "symbolic/stopping.h"

namespace treaty::api {

RepairedGraph repair_graph(const model::SymbolicGraph& graph, symbolic::CommunicationMode mode,
                           const symbolic::GraphLimits& limits, const solve::SolverContext& context,
                           const CanBeWritten& can_be_written) {
    const symbolic::ReachLimits reach_limits{6, limits.deadline};
    solve::Solver solver(*graph.pool, std::chrono::seconds(2), context);
    RepairedGraph out;
    out.part = symbolic::reachable_part(graph, symbolic::reachability(graph, solver, reach_limits));
    symbolic::Reachability reach = symbolic::reachability(out.part, solver, reach_limits);
    repair::RepairLimits repair_limits;
    repair_limits.graph = limits;
    repair::RepairHooks hooks;
    if (can_be_written)
        hooks.can_be_written = [&](const std::vector<repair::Addition>& additions) {
            return can_be_written(out.part, additions);
        };
    out.result = repair::repair(out.part, reach, mode, solver, repair_limits, hooks);
    return out;
}

std::string not_repaired(const base::Deadline& deadline) {
    return deadline.passed() ? symbolic::why_stopped(deadline)
                             : "no additions were found that make it realizable";
}

std::string print(const model::SymbolicGraph& graph, const repair::Addition& addition) {
    std::string value;
    if (addition.variable)
        value = fmt::format("({})", graph.pool->names().text(graph.pool->variable(addition.variable).name));
    return fmt::format("{} -> {}: {}{}", graph.alphabet->name(addition.from),
                       graph.alphabet->name(addition.to), graph.alphabet->name(addition.message), value);
}

}  // namespace treaty::api
