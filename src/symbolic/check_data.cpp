#include "symbolic/check_data.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "expr/print.h"
#include "symbolic/codes.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"

namespace treaty::symbolic {
namespace {

constexpr std::size_t small_graph = 2000;
constexpr std::chrono::seconds patience{3};

base::Span span_of(const model::Protocol& protocol, const GuardPart& part) {
    return part.node ? protocol[part.node].span : base::Span{};
}

std::string said(const expr::Pool& pool, const GuardPart& part) {
    return expr::print(pool, part.condition);
}

void report(const model::Specification& specification, const model::Protocol& protocol,
            const Conflict& conflict, model::NodeId node, base::Diagnostics& diagnostics) {
    const model::Node& n = protocol[node];
    const model::Alphabet& a = *specification.alphabet;
    std::string what =
        fmt::format("{} -> {}: {} can never happen", a.name(n.role), a.name(n.to), a.name(n.message));
    const expr::Pool& pool = *specification.pool;
    auto plainly_false = [&](const GuardPart& part) { return pool.is_false(part.condition); };
    // With known values a condition may become `false`, which explains nothing; its position does.
    bool known = std::any_of(conflict.parts.begin(), conflict.parts.end(), plainly_false);
    if (!conflict.parts.empty() && !known) {
        std::vector<std::string> all;
        for (const GuardPart& part : conflict.parts) all.push_back(said(pool, part));
        what += all.size() == 1 ? fmt::format(": {} is never true", all[0])
                                : fmt::format(": it would need {}", fmt::join(all, " and "));
    }
    auto& d = diagnostics.report(codes::never_happens, n.span, what);
    for (const GuardPart& part : conflict.parts)
        if (span_of(protocol, part).valid() && part.node != node)
            d.label(span_of(protocol, part), plainly_false(part)
                                                 ? "the condition here never lets it come to this step"
                                                 : fmt::format("requires {}", said(pool, part)));
}

// At the step that cannot be taken; the run itself is the caller's to show.
void report_incoherence(const model::Protocol& protocol, const DataCheck& found,
                        base::Diagnostics& diagnostics) {
    const GraphState& state = found.graph.states[found.incoherence.state];
    base::Span span;
    // A message that may not be sent with any data did not fail because of its data.
    auto excluded = [&](const GraphEdge& edge) {
        return found.graph.pool->is_false(found.graph.guard(edge));
    };
    bool all = std::all_of(state.out.begin(), state.out.end(), excluded);
    std::vector<std::string> wanted;
    for (const GraphEdge& edge : state.out) {
        if (excluded(edge) && !all) continue;
        if (edge.node) span = span.valid() ? span : protocol[edge.node].span;
        wanted.push_back(fmt::format("`{}`", print_edge(found.graph, edge)));
    }
    std::string_view neither = wanted.size() > 1 ? "neither " : "";
    diagnostics
        .report(codes::cannot_go_on, span,
                fmt::format("{} nothing is allowed to be sent here: {}{} is {}possible",
                            found.incoherence.run.empty() ? "at the start" : "after some runs", neither,
                            fmt::join(wanted, " nor "), neither.empty() ? "not " : ""))
        .help("strengthen the conditions before, or weaken the condition here");
}

}  // namespace

DataCheck check_data(const model::Specification& specification, const model::Protocol& protocol,
                     base::Diagnostics& diagnostics, const base::Deadline& deadline) {
    GraphLimits limits;
    limits.states = small_graph;
    limits.deadline = deadline.part_of_work(patience);
    GraphResult made = protocol_graph(specification, protocol, limits);
    DataCheck result;
    if (!made) {
        result.complete = false;
        result.reason = made.error();
        return result;
    }
    const SymbolicGraph& graph = result.graph = std::move(*made);
    solve::Solver solver(*graph.pool, std::chrono::milliseconds(500));
    Reachability found = reachability(graph, solver, {6, deadline.part_of_work(patience)});
    // An interaction may be an edge of several states: it never happens if none of them can be taken.
    std::map<model::NodeId, const Conflict*> never;
    std::vector<bool> happens(protocol.size()), open(protocol.size());
    for (GraphStateId s : graph.states.ids())
        for (GraphEdgeId e : graph.states[s].out.ids()) {
            model::NodeId node = graph.states[s].out[e].node;
            if (found.edges[s][e] == Reach::reachable)
                happens[node.index] = true;
            else if (found.edges[s][e] == Reach::unknown)
                open[node.index] = true;
            else if (!found.conflicts[s][e].parts.empty())
                never.emplace(node, &found.conflicts[s][e]);
        }
    result.complete = found.complete;
    result.reason = found.reason;
    for (const auto& [node, conflict] : never) {
        if (happens[node.index] || open[node.index]) continue;
        ++result.unreachable;
        report(specification, protocol, *conflict, node, diagnostics);
    }
    for (std::uint32_t i = 0; i < open.size(); ++i)
        if (open[i] && !happens[i]) result.open.emplace_back(i);
    Coherence coherent = coherence(graph, found, solver, deadline.part_of_work(patience));
    result.coherent = coherent.answer;
    result.coherent_reason = std::move(coherent.reason);
    result.incoherence = std::move(coherent.incoherence);
    if (coherent.answer == base::Answer::fails) report_incoherence(protocol, result, diagnostics);
    return result;
}

}  // namespace treaty::symbolic
