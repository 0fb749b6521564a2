#include "explore/refine/freedom.h"

#include <algorithm>

#include <fmt/format.h>

#include "explore/refine/trail.h"

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::Edge;
using model::LabelId;
using model::StateId;

void stopped(FreedomReport& report, StopReason reason, const std::string& why) {
    report.stopped = reason;
    report.reason = fmt::format("{} after {} states", stop_text(reason, why), report.states);
}

bool over_limit(FreedomReport& report, const Limits& limits, std::uint64_t ticks) {
    if (report.states < limits.states && (ticks & 1023) != 0) return false;
    StopReason reason = limit_reached(limits, report.states, report.states * 16);
    if (reason != StopReason::none) stopped(report, reason, {});
    return reason != StopReason::none;
}

// Walks all states, those that fewer visible events lead to first, until `bad` says that one is.
template <class Bad>
FreedomReport walk(Graph& graph, const Limits& limits, Bad bad) {
    FreedomReport report;
    std::vector<StateId> found{StateId(0u)};
    Trail trail;
    trail.add(Trail::none, {});
    std::vector<bool> known{true};
    auto add = [&](std::size_t parent, const Edge& e) {
        if (known.size() <= e.target.index)
            known.resize(std::max<std::size_t>(e.target.index + 1, known.size() * 2));
        if (known[e.target.index]) return;
        known[e.target.index] = true;
        found.push_back(e.target);
        trail.add(static_cast<std::uint32_t>(parent), e.label);
    };
    std::uint64_t ticks = 0;
    for (std::size_t begin = 0; begin < found.size();) {
        // What silent steps reach comes first, so that nothing of this level is taken for one of the next.
        std::size_t i = begin;
        for (; i < found.size(); ++i) {
            report.states = found.size();
            if (over_limit(report, limits, ++ticks)) return report;
            for (const Edge& e : graph.out(found[i])) {
                if (e.label != graph.alphabet().silent()) break;
                add(i, e);
            }
        }
        std::size_t end = i;
        for (i = begin; i < end; ++i) {
            auto edges = graph.out(found[i]);
            bool wrong = bad(found[i], edges);
            if (graph.broken()) return stopped(report, graph.stopped(), graph.why()), report;
            if (wrong) {
                report.trace = trail.trace(static_cast<std::uint32_t>(i));
                report.answer = Answer::fails;
                return report;
            }
            for (const Edge& e : edges)
                if (e.label != graph.alphabet().silent()) add(i, e);
        }
        begin = end;
    }
    report.states = found.size();
    report.answer = Answer::holds;
    return report;
}

}  // namespace

FreedomReport deadlock_free(Graph& graph, const Limits& limits) {
    auto stuck = [&](StateId s, std::span<const Edge> edges) { return edges.empty() && !graph.final(s); };
    FreedomReport report = walk(graph, limits, stuck);
    if (report.answer == Answer::holds)
        report.reason = fmt::format("none of {} states is stuck", report.states);
    if (report.answer == Answer::fails) report.reason = "it offers nothing more";
    return report;
}

FreedomReport divergence_free(Graph& graph, const Limits& limits) {
    Divergence divergence(graph);
    FreedomReport report =
        walk(graph, limits, [&](StateId s, std::span<const Edge>) { return divergence(s); });
    if (report.answer == Answer::holds)
        report.reason = fmt::format("none of {} states can run silently for ever", report.states);
    if (report.answer == Answer::fails) report.reason = "it can run for ever without a visible event";
    return report;
}

FreedomReport deterministic(Graph& graph, Observation observation, const Limits& limits) {
    FreedomReport report;
    NormalForm normal(graph, limits.states);
    std::vector<NormalId> found{normal.initial()};
    Trail trail;
    trail.add(Trail::none, {});
    std::vector<bool> known{true};
    auto fail = [&](std::size_t index, std::string reason) {
        report.trace = trail.trace(static_cast<std::uint32_t>(index));
        report.answer = Answer::fails;
        report.reason = std::move(reason);
        return report;
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        NormalId node = found[i];
        report.states = found.size();
        bool diverges = observation == Observation::failures_divergences && normal.diverges(node);
        auto steps = normal.steps(node);
        const auto& least = normal.acceptances(node);
        if (normal.broken()) return stopped(report, normal.stopped(), normal.why()), report;
        if (diverges) return fail(i, "it can run for ever without a visible event");
        Acceptance all;
        if (normal.final(node)) all.push_back(LabelId(0u));
        for (const NormalStep& step : steps) all.push_back(step.label);
        for (const Acceptance& a : least) {
            for (LabelId l : all)
                if (!std::binary_search(a.begin(), a.end(), l))
                    return fail(i, fmt::format("{} may happen and may be refused",
                                               l.index == 0 ? "tick" : graph.alphabet().print(l)));
        }
        if (over_limit(report, limits, i)) return report;
        known.resize(std::max(known.size(), normal.size()));
        for (const NormalStep& step : steps) {
            if (known[step.target.index]) continue;
            known[step.target.index] = true;
            found.push_back(step.target);
            trail.add(static_cast<std::uint32_t>(i), step.label);
        }
    }
    report.answer = Answer::holds;
    report.reason = fmt::format("in all of its {} situations", report.states);
    return report;
}

}  // namespace treaty::explore
