#include "api/refine.h"

#include <fmt/format.h>

namespace treaty::api {
namespace {

explore::ProgressCallback progress_of(const Context& context) {
    if (!context.progress) return {};
    return [sink = context.progress](const explore::Progress& p) {
        sink(CountProgress{"refining, pairs", p.states, 0, fmt::format("depth {}", p.depth)});
    };
}

explore::RefineReport compare(ProcessInput& specification, ProcessInput& implementation, bool ends,
                              const explore::RefineOptions& options) {
    if (ends) return explore::refines(*specification.graph, *implementation.graph, options);
    explore::WithoutEnds without_ends_allowed(*specification.graph), without_ends(*implementation.graph);
    return explore::refines(without_ends_allowed, without_ends, options);
}

void take(const ProcessInput& implementation, explore::RefineReport report, RefineAnswer& answer) {
    answer.compared = true;
    answer.verdict = report.answer;
    answer.reason = report.reason;
    answer.pairs = report.pairs;
    answer.transitions = report.transitions;
    answer.depth = report.depth;
    if (report.stopped != base::StopReason::none) {
        answer.bound.stopped(report.stopped);
        answer.bound.add("pairs", report.pairs);
        answer.bound.add("depth", std::uint64_t{report.depth});
    }
    if (!report.counterexample) return;
    answer.alphabet = implementation.alphabet;
    answer.witness = run_of(*implementation.alphabet, report.counterexample->trace);
    if (report.counterexample->violation == explore::Violation::event)
        answer.witness->failing = report.counterexample->trace.size() - 1;
    answer.witness->ending = answer.reason;
    answer.counterexample = std::move(report.counterexample);
}

}  // namespace

RefineAnswer refine(const Workspace& workspace, const RefineQuestion& question, const Context& context) {
    RefineAnswer answer;
    answer.inputs = {question.specification, question.implementation};
    answer.observation = question.observation;
    Inquiry inquiry(workspace, context, answer);
    explore::RefineOptions options;
    options.observation = question.observation;
    options.antichain = question.antichain;
    options.limits = process_limits(inquiry);
    options.progress = progress_of(context);
    auto specification =
        load_process(inquiry, split_process(question.specification), options.limits, answer.chosen);
    auto implementation =
        load_process(inquiry, split_process(question.implementation), options.limits, answer.chosen);
    if (!specification || !implementation) return answer;
    answer.ends_compared = specification->knows_ends && implementation->knows_ends;
    answer.data_left_aside = specification->data_left_aside || implementation->data_left_aside;
    explore::RefineReport report = compare(*specification, *implementation, answer.ends_compared, options);
    // A fault of a script may show only when a process is worked out.
    if (inquiry.diagnostics().ok()) take(*implementation, std::move(report), answer);
    if (answer.verdict == Verdict::holds && answer.data_left_aside) answer.reason += ", if data is ignored";
    return answer;
}

}  // namespace treaty::api
