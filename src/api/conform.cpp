#include "api/conform.h"

#include <fmt/format.h>

#include "api/models/graphs.h"
#include "expr/print.h"
#include "symbolic/codes.h"

namespace treaty::api {
namespace {

std::string reason_of(const symbolic::Conformance& found) {
    switch (found.answer) {
        case Verdict::holds: return "it conforms, for all values";
        case Verdict::fails: return "it does not conform";
        case Verdict::conditional: return "it conforms only under a condition";
        case Verdict::undecided: return found.reason;
    }
    return {};
}

void take(const Inquiry& inquiry, const symbolic::ConformReport& report, const GraphInput& implementation,
          const GraphInput& specification, ConformAnswer& answer) {
    const symbolic::Conformance& found = report.conformance;
    answer.verdict = found.answer;
    answer.reason = reason_of(found);
    answer.effort = ConformEffort{found.pairs, found.evaluations, report.queries, report.remembered};
    if (found.answer == Verdict::conditional)
        answer.condition = expr::print(*report.specification.pool, found.condition);
    if (found.answer != Verdict::fails && found.answer != Verdict::conditional) return;
    answer.witness =
        mismatch_run(report, implementation.protocol(), specification.protocol(), inquiry.sources());
    answer.differ = StatePair{report.implementation.state_name(found.mismatch.implementation),
                              report.specification.state_name(found.mismatch.specification)};
}

}  // namespace

ConformAnswer conform(const Workspace& workspace, const ConformQuestion& question, const Context& context) {
    ConformAnswer answer;
    answer.inputs = {question.implementation, question.specification};
    Inquiry inquiry(workspace, context, answer);
    auto implementation = load_graph(inquiry, question.implementation, question.implementation_protocol);
    auto specification = load_graph(inquiry, question.specification, question.specification_protocol);
    if (!implementation || !specification) {
        // A limit that one of them has reached does not matter if the other is unusable.
        if (!answer.diagnostics.ok()) answer.verdict.reset();
        return answer;
    }
    symbolic::ConformReport report =
        symbolic::conform(implementation->graph, specification->graph, context.conformance_limits());
    if (report.incomparable.empty()) {
        take(inquiry, report, *implementation, *specification, answer);
    } else {
        const base::Code& code = report.silent_specification ? symbolic::codes::silent_specification
                                                             : symbolic::codes::not_comparable;
        inquiry.report(code, fmt::format("{}: {}", question.specification, report.incomparable));
    }
    return answer;
}

}  // namespace treaty::api
