#include "explore/refine_freedom.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::Edge;
using model::LabelId;
using model::StateId;

constexpr std::uint32_t none = UINT32_MAX;

StopReason over(const Limits& limits, std::size_t states, std::uint64_t ticks) {
    if (states >= limits.states) return StopReason::states;
    if ((ticks & 1023) != 0) return StopReason::none;
    if (limits.time.passed()) return StopReason::time;
    if (states * 16 > limits.memory) return StopReason::memory;
    return base::interrupt_flag().load(std::memory_order_relaxed) ? StopReason::interrupted
                                                                  : StopReason::none;
}

void stopped(FreedomReport& report, StopReason reason, const std::string& why) {
    report.stopped = reason;
    report.reason =
        fmt::format("{} after {} states", why.empty() ? base::to_string(reason) : why, report.states);
}

// Walks all states, those that fewer visible events lead to first, until `bad` says that one is.
template <class Bad>
FreedomReport walk(Graph& graph, const Limits& limits, Bad bad) {
    struct Found {
        StateId state;
        std::uint32_t parent;
        LabelId label;
    };
    FreedomReport report;
    std::vector<Found> found{{StateId(0u), none, {}}};
    std::vector<bool> known{true};
    std::vector<std::uint32_t> current{0}, next;
    LabelId silent = graph.alphabet().silent();
    auto add = [&](std::uint32_t parent, const Edge& e, std::vector<std::uint32_t>& to) {
        if (known.size() <= e.target.index)
            known.resize(std::max<std::size_t>(e.target.index + 1, known.size() * 2));
        if (known[e.target.index]) return;
        known[e.target.index] = true;
        to.push_back(static_cast<std::uint32_t>(found.size()));
        found.push_back({e.target, parent, e.label});
    };
    for (std::uint64_t ticks = 0; !current.empty(); current.swap(next), next.clear()) {
        // What silent steps reach comes first, so that nothing of this level is taken for one of the next.
        for (std::size_t i = 0; i < current.size(); ++i) {
            report.states = found.size();
            if (StopReason reason = over(limits, found.size(), ++ticks); reason != StopReason::none)
                return stopped(report, reason, {}), report;
            for (const Edge& e : graph.out(found[current[i]].state)) {
                if (e.label != silent) break;
                add(current[i], e, current);
            }
        }
        for (std::uint32_t index : current) {
            auto edges = graph.out(found[index].state);
            bool wrong = bad(found[index].state, edges);
            if (graph.broken()) return stopped(report, graph.stopped(), graph.why()), report;
            if (wrong) {
                for (std::uint32_t at = index; found[at].parent != none; at = found[at].parent)
                    if (found[at].label != silent) report.trace.push_back(found[at].label);
                std::reverse(report.trace.begin(), report.trace.end());
                report.answer = Answer::fails;
                return report;
            }
            for (const Edge& e : edges)
                if (e.label != silent) add(index, e, next);
        }
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
    if (report.answer == Answer::fails) report.reason = "it can go on for ever without a visible event";
    return report;
}

FreedomReport deterministic(Graph& graph, Observation observation, const Limits& limits) {
    FreedomReport report;
    NormalForm normal(graph, limits.states);
    struct Found {
        NormalId node;
        std::uint32_t parent;
        LabelId label;
    };
    std::vector<Found> found{{normal.initial(), none, {}}};
    std::vector<bool> known{true};
    auto fail = [&](std::size_t index, std::string reason) {
        for (auto at = static_cast<std::uint32_t>(index); found[at].parent != none; at = found[at].parent)
            report.trace.push_back(found[at].label);
        std::reverse(report.trace.begin(), report.trace.end());
        report.answer = Answer::fails;
        report.reason = std::move(reason);
        return report;
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        NormalId node = found[i].node;
        report.states = found.size();
        bool diverges = observation == Observation::failures_divergences && normal.diverges(node);
        auto steps = normal.steps(node);
        const auto& least = normal.acceptances(node);
        if (normal.broken()) return stopped(report, normal.stopped(), normal.why()), report;
        if (diverges) return fail(i, "it can go on for ever without a visible event");
        Acceptance all;
        if (normal.final(node)) all.push_back(LabelId(0u));
        for (const NormalStep& step : steps) all.push_back(step.label);
        for (const Acceptance& a : least) {
            for (LabelId l : all)
                if (!std::binary_search(a.begin(), a.end(), l))
                    return fail(i, fmt::format("{} may happen and may be refused",
                                               l.index == 0 ? "tick" : graph.alphabet().print(l)));
        }
        if (StopReason reason = over(limits, found.size(), i); reason != StopReason::none)
            return stopped(report, reason, {}), report;
        known.resize(std::max(known.size(), normal.size()));
        for (const NormalStep& step : steps) {
            if (known[step.target.index]) continue;
            known[step.target.index] = true;
            found.push_back({step.target, static_cast<std::uint32_t>(i), step.label});
        }
    }
    report.answer = Answer::holds;
    report.reason = fmt::format("in all {} of its situations", report.states);
    return report;
}

}  // namespace treaty::explore
