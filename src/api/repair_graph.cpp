#include "api/repair_graph.h"

#include <chrono>

#include <fmt/format.h>

#include "symbolic/reach.h"
#include "symbolic/stopping.h"

namespace treaty::api {

RepairedGraph repair_graph(const model::SymbolicGraph& graph, symbolic::CommunicationMode mode,
                           const base::Deadline& deadline, const solve::SolverContext& context,
                           const std::function<bool(const model::SymbolicGraph& part,
                                                    const std::vector<symbolic::Addition>&)>& written) {
    const symbolic::ReachLimits reach_limits{6, deadline};
    solve::Solver solver(*graph.pool, std::chrono::seconds(2), context);
    RepairedGraph result;
    result.part = symbolic::reachable_part(graph, symbolic::reachability(graph, solver, reach_limits));
    symbolic::Reachability reach = symbolic::reachability(result.part, solver, reach_limits);
    symbolic::RepairLimits limits;
    limits.deadline = deadline;
    symbolic::Written can_be_written;
    if (written)
        can_be_written = [&](const std::vector<symbolic::Addition>& additions) {
            return written(result.part, additions);
        };
    result.repair = symbolic::repair(result.part, reach, mode, solver, limits, can_be_written);
    return result;
}

std::string not_repaired(const base::Deadline& deadline) {
    return deadline.passed() ? symbolic::why_stopped(deadline)
                             : "no additions were found that make it realizable";
}

std::string print(const model::SymbolicGraph& graph, const symbolic::Addition& addition) {
    std::string value;
    if (addition.variable)
        value = fmt::format("({})", graph.pool->names().text(graph.pool->variable(addition.variable).name));
    return fmt::format("{} -> {}: {}{}", graph.alphabet->name(addition.from),
                       graph.alphabet->name(addition.to), addition.message, value);
}

}  // namespace treaty::api
