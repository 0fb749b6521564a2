#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/processes.h"
#include "cli/verbs.h"
#include "report/progress.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

// Ends are compared only if both notations can write them.
struct Compared {
    std::unique_ptr<explore::WithoutEnds> spec_without, impl_without;
    explore::Graph& spec;
    explore::Graph& impl;
};

Compared compared(Session& session, ProcessInput& spec, ProcessInput& impl) {
    if (spec.knows_ends && impl.knows_ends) return {nullptr, nullptr, *spec.graph, *impl.graph};
    session.result.text += ".aut knows no ends, so where a process may end is not compared\n";
    auto s = std::make_unique<explore::WithoutEnds>(*spec.graph);
    auto i = std::make_unique<explore::WithoutEnds>(*impl.graph);
    explore::Graph &s_ref = *s, &i_ref = *i;
    return {std::move(s), std::move(i), s_ref, i_ref};
}

std::string joined(const std::vector<std::string>& events) {
    return fmt::format("{{{}}}", fmt::join(events, ", "));
}

void explain(Session& session, const explore::Counterexample& found) {
    std::string& text = session.result.text;
    if (found.violation == explore::Violation::event || found.violation == explore::Violation::ending)
        text += fmt::format("the specification allows here: {}\n", joined(found.allowed));
    if (found.violation != explore::Violation::refusal) return;
    for (const auto& set : found.wanted)
        text += fmt::format("the specification offers here at least: {}\n", joined(set));
    if (found.wanted.empty()) text += "the specification is never stable here\n";
}

}  // namespace

int verb_refine(Arguments arguments) {
    Session session("refine");
    CommandLine line(session);
    std::string spec_name, impl_name, in = "traces";
    bool no_antichain = false;
    line.positional("SPEC", spec_name, "what is allowed: FILE or FILE:NAME");
    line.positional("IMPL", impl_name, "what is asked about: FILE or FILE:NAME");
    line.option("--in", "MODEL", in, "traces (default), failures or failures-divergences");
    line.flag("--no-antichain", no_antichain, "search pairs that a stricter one covers too");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {spec_name, impl_name};
    auto observation = explore::parse_observation(in);
    if (!observation) {
        session.report(codes::bad_usage, fmt::format("--in {} is not a model", in))
            .help("models are traces, failures and failures-divergences");
        return session.finish();
    }
    explore::RefineOptions options;
    options.observation = *observation;
    options.antichain = !no_antichain;
    options.limits = process_limits(session);
    auto spec = load_process(session, split_process(spec_name), options.limits);
    auto impl = load_process(session, split_process(impl_name), options.limits);
    if (!spec || !impl) return session.finish();
    Compared both = compared(session, *spec, *impl);
    if (spec->data_left_aside || impl->data_left_aside)
        session.result.text += "data is left aside: only which events come in which order is compared\n";
    report::Progress progress(stderr, session.on_terminal());
    options.progress = [&](const explore::Progress& p) {
        progress.update([&] { return fmt::format("refining: {} pairs, depth {}", p.states, p.depth); });
    };
    explore::RefineReport report = explore::refines(both.spec, both.impl, options);
    if (!session.diagnostics.ok()) return session.finish();
    report::Result& result = session.result;
    result.answer = report.answer;
    result.reason = report.reason;
    result.extra["in"] = explore::to_string(*observation);
    result.extra["pairs"] = report.pairs;
    result.extra["transitions"] = report.transitions;
    result.text += fmt::format("{}, {}, traces of up to {}\n", report::counted(report.pairs, "pair"),
                               report::counted(report.transitions, "transition"),
                               report::counted(report.depth, "event"));
    if (report.stopped != base::StopReason::none)
        result.bound = {
            {"stopped", base::to_string(report.stopped)}, {"pairs", report.pairs}, {"depth", report.depth}};
    if (report.counterexample) {
        explain(session, *report.counterexample);
        add_counterexample(session, *impl->alphabet, *report.counterexample);
    }
    return session.finish();
}

}  // namespace treaty::cli
