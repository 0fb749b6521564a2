#include "symbolic/conform.h"

#include "symbolic/import_graph.h"
#include "symbolic/restrict.h"

namespace treaty::symbolic {

ConformReport conform(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                      const ConformanceLimits& limits, const solve::SolverContext& context) {
    ConformReport report;
    Meeting meeting = Meeting::fresh();
    meeting.expect(specification);
    meeting.expect(implementation);
    GraphResult theirs = import_graph(specification, meeting);
    GraphResult mine = theirs ? import_graph(implementation, meeting) : base::Fault{theirs.error()};
    if (!mine) {
        report.incomparable = mine.error();
        return report;
    }
    // The implementation may have declared more of a message's payload than the specification knew.
    theirs->payload = meeting.payload;
    auto visible = labels_of(*theirs);
    if (visible.contains(meeting.alphabet->silent())) {
        report.silent_specification = true;
        report.incomparable = "the specification has silent steps";
        return report;
    }
    solve::Solver solver(*meeting.pool, std::chrono::seconds(2), context);
    Logic logic(*meeting.pool, solver);
    GraphResult hidden = restricted(std::move(*mine), visible, logic);
    if (!hidden) {
        report.conformance.reason = hidden.error();
        return report;
    }
    report.implementation = std::move(*hidden);
    report.specification = std::move(*theirs);
    report.conformance = conformance(report.implementation, report.specification, solver, limits);
    report.queries = solver.query_count();
    report.remembered = solver.remembered_count();
    return report;
}

}  // namespace treaty::symbolic
