#include "cli/check_symbolic.h"

#include <fmt/format.h>

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

// What was asked and not answered, a line each.
void tell_open(Session& session, const symbolic::DataCheck& found, const model::Specification& specification,
               const model::Protocol& protocol, report::Json& entry) {
    auto tell = [&](const std::string& what) {
        session.result.text += fmt::format("    not decided: {}\n", what);
    };
    if (!found.complete) {
        entry["data_reason"] = found.reason;
        return tell(fmt::format("what its data allows: {}", found.reason));
    }
    entry["open"] = report::Json::array();
    for (model::NodeId id : found.open) {
        const model::Node& node = protocol[id];
        const model::Alphabet& names = *specification.alphabet;
        std::string step =
            fmt::format("{} -> {}: {}", names.name(node.role), names.name(node.to), names.name(node.message));
        std::uint32_t line = node.span.valid() ? session.sources.begin(node.span).line : 0;
        entry["open"].push_back({{"interaction", step}, {"line", line}});
        if (entry["open"].size() > 1) continue;
        std::string more = found.open.size() > 1 ? fmt::format(", and {} more", found.open.size() - 1) : "";
        tell(fmt::format("whether {} (line {}) can happen{}", step, line, more));
    }
    if (found.coherent != base::Answer::undecided) return;
    entry["coherent_reason"] = found.coherent_reason;
    tell(fmt::format("whether whoever must send always has something allowed to send: {}",
                     found.coherent_reason));
}

}  // namespace

std::optional<report::Run> check_symbolic(Session& session, const model::Specification& specification,
                                          const model::Protocol& protocol, base::Diagnostics& diagnostics,
                                          report::Json& entry) {
    if (!protocol.has_data()) return std::nullopt;
    symbolic::DataCheck found = symbolic::check_data(specification, protocol, diagnostics);
    entry["unreachable"] = found.unreachable;
    entry["coherent"] = found.coherent == base::Answer::undecided
                            ? report::Json(nullptr)
                            : report::Json(found.coherent == base::Answer::holds);
    tell_open(session, found, specification, protocol, entry);
    if (found.coherent != base::Answer::fails) return std::nullopt;
    return run_of(found, protocol, session.sources);
}

}  // namespace treaty::cli
