#include "symbolic/conform.h"

#include "symbolic/import_graph.h"
#include "symbolic/restrict.h"

namespace treaty::symbolic {

ConformReport conform(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                      const ConformanceLimits& limits, const solve::SolverContext& context) {
    ConformReport report;
    Meeting meeting = Meeting::fresh();
    GraphResult theirs = import_graph(specification, meeting);
    GraphResult mine = theirs ? import_graph(implementation, meeting) : GraphResult{};
    if (!theirs || !mine) {
        report.incomparable = theirs ? mine.reason : theirs.reason;
        return report;
    }
    // The implementation may have declared more of a message's payload than the specification knew.
    theirs.graph->payload = meeting.payload;
    auto visible = labels_of(*theirs.graph);
    if (visible.contains(meeting.alphabet->silent())) {
        report.silent_specification = true;
        report.incomparable = "the specification has silent steps";
        return report;
    }
    solve::Solver solver(*meeting.pool, std::chrono::seconds(2), context);
    Logic logic(*meeting.pool, solver);
    std::string reason;
    auto hidden = restricted(std::move(*mine.graph), visible, logic, &reason);
    if (!hidden) {
        report.conformance.reason = reason;
        return report;
    }
    report.implementation = std::move(*hidden);
    report.specification = std::move(*theirs.graph);
    report.conformance = conformance(report.implementation, report.specification, solver, limits);
    report.queries = solver.query_count();
    report.remembered = solver.remembered_count();
    return report;
}

}  // namespace treaty::symbolic
