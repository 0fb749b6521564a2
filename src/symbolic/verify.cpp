#include "symbolic/verify.h"

#include "symbolic/local_graph.h"

namespace treaty::symbolic {

std::string_view describe(Verified verified) {
    switch (verified) {
        case Verified::yes: return "the roles together conform: yes";
        case Verified::with_additions:
            return "the roles together conform: to the protocol with the additions; one of them decides "
                   "before the original protocol would";
        case Verified::no: return "the roles together conform: no";
        case Verified::undecided: return "the roles together conform: undecided";
    }
    return "";
}

Verification verify(const SymbolicGraph& protocol, const SymbolicGraph& mended, const GraphLimits& limits,
                    const solve::SolverContext& context) {
    GraphResult together = composed(mended, limits);
    if (!together) return {Verified::undecided, together.error()};
    ConformanceLimits bounds;
    bounds.deadline = limits.deadline;
    Conformance plain = conform(*together, protocol, bounds, context).conformance;
    if (plain.answer == base::Answer::holds) return {Verified::yes, {}};
    Conformance whole = conform(*together, mended, bounds, context).conformance;
    if (whole.answer == base::Answer::undecided) return {Verified::undecided, whole.reason};
    if (whole.answer != base::Answer::holds) return {Verified::no, {}};
    if (plain.answer == base::Answer::undecided) return {Verified::undecided, plain.reason};
    return {Verified::with_additions, {}};
}

bool realizable(const SymbolicGraph& graph, CommunicationMode mode, solve::Solver& solver,
                const base::Deadline& deadline) {
    SymbolicGraph part = reachable_part(graph, reachability(graph, solver, {6, deadline}));
    Reachability reach = reachability(part, solver, {6, deadline});
    return find_problems(Draft(part), guard_facts(part, reach, solver), mode, 1).empty();
}

}  // namespace treaty::symbolic
