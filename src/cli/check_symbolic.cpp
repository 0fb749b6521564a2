#include "cli/check_symbolic.h"

#include "cli/value_json.h"
#include "symbolic/check_data.h"

namespace treaty::cli {
namespace {

report::Run run_of(const symbolic::DataCheck& found, const model::Protocol& protocol,
                   const base::SourceMap& sources) {
    const symbolic::Graph& graph = found.graph;
    report::Run run;
    for (const auto& step : found.incoherence.run) {
        const symbolic::GraphEdge& edge = graph.states[step.state].out[step.edge];
        const model::Event& e = graph.alphabet->event(edge.label);
        report::RunEvent& event = run.events.emplace_back();
        event.from = graph.alphabet->name(e.from);
        event.to = graph.alphabet->name(e.to);
        event.message = graph.alphabet->name(e.message);
        for (const auto& [variable, value] : step.data)
            event.data[std::string(graph.pool->names().text(graph.pool->variable(variable).name))] =
                json_of(value, graph.pool->variable(variable).type, graph.pool->types(), graph.pool->names());
        if (edge.node && protocol[edge.node].span.valid())
            event.line = sources.begin(protocol[edge.node].span).line;
    }
    run.ending = "nothing that may be sent now is allowed";
    return run;
}

}  // namespace

std::optional<report::Run> check_symbolic(const Session& session, const model::Specification& specification,
                                          const model::Protocol& protocol, base::Diagnostics& diagnostics,
                                          report::Json& entry) {
    if (!protocol.has_data()) return std::nullopt;
    symbolic::DataCheck found = symbolic::check_data(specification, protocol, diagnostics);
    entry["unreachable"] = found.unreachable;
    entry["coherent"] = found.coherent == base::Answer::undecided
                            ? report::Json(nullptr)
                            : report::Json(found.coherent == base::Answer::holds);
    if (!found.complete) entry["data_reason"] = found.reason;
    if (found.coherent != base::Answer::fails) return std::nullopt;
    return run_of(found, protocol, session.sources);
}

}  // namespace treaty::cli
