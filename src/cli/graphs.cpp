#include "cli/graphs.h"

#include <fmt/format.h>

#include "cli/value_json.h"
#include "expr/print.h"
#include "formats/load.h"
#include "symbolic/codes.h"
#include "symbolic/import_graph.h"
#include "symbolic/machine_graph.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"

namespace treaty::cli {
namespace {

symbolic::GraphResult graph_of(const model::System& system, const symbolic::GraphLimits& limits) {
    symbolic::Meeting meeting = symbolic::Meeting::fresh();
    std::vector<symbolic::Graph> parts;
    for (const model::Machine& machine : system.machines()) {
        auto part = symbolic::import_graph(symbolic::machine_graph(machine), meeting);
        if (!part) return part;
        parts.push_back(std::move(*part.graph));
    }
    for (symbolic::Graph& part : parts) part.payload = meeting.payload;
    return symbolic::product(parts, limits);
}

}  // namespace

std::optional<GraphInput> load_graph(Session& session, const std::string& path, const std::string& protocol) {
    Loaded loaded = load(session, path);
    if (!loaded) return std::nullopt;
    symbolic::GraphResult made;
    std::optional<ProtocolInput> input;
    if (auto* machine = loaded.get<model::Machine>()) {
        made.graph = symbolic::machine_graph(*machine);
    } else if (auto* system = loaded.get<model::System>()) {
        made = graph_of(*system, session.options.graph_limits());
    } else if (loaded.get<model::Specification>()) {
        input = protocol_of(session, std::move(loaded), path, protocol);
        if (!input) return std::nullopt;
        made = symbolic::protocol_graph(input->specification, *input->protocol, session.options.graph_limits());
    } else {
        session.report(
            symbolic::codes::not_comparable,
            fmt::format("{} holds {}, which has no symbolic graph", path, formats::describe(loaded)));
        return std::nullopt;
    }
    if (!made) {
        session.result.answer = base::Answer::undecided;
        session.result.reason = fmt::format("{}: {}", path, made.reason);
        return std::nullopt;
    }
    return GraphInput{std::move(*made.graph), std::move(input)};
}

report::Run run_of(const symbolic::ConformReport& report, const model::Protocol* implementation,
                   const model::Protocol* specification, const base::SourceMap& sources) {
    const symbolic::Mismatch& mismatch = report.conformance.mismatch;
    const model::Alphabet& alphabet = *report.specification.alphabet;
    const expr::Pool& pool = *report.specification.pool;
    report::Run run;
    for (const symbolic::ConformanceStep& step : mismatch.run) {
        report::RunEvent& event = run.events.emplace_back();
        const model::Event& e = alphabet.event(step.label);
        if (e.kind == model::EventKind::silent || e.kind == model::EventKind::plain) {
            event.direction = report::Direction::none;
            event.message = alphabet.print(step.label);
        } else {
            event.from = alphabet.name(e.from);
            event.to = alphabet.name(e.to);
            event.message = alphabet.name(e.message);
            if (e.kind == model::EventKind::send) event.direction = report::Direction::sent;
            if (e.kind == model::EventKind::receive) event.direction = report::Direction::received;
        }
        for (const auto& [variable, value] : step.data)
            event.data[std::string(pool.names().text(pool.variable(variable).name))] =
                json_of(value, pool.variable(variable).type, pool.types(), pool.names());
        const model::Protocol* origin =
            step.mover == symbolic::Mover::implementation ? implementation : specification;
        if (origin && step.node && (*origin)[step.node].span.valid())
            event.line = sources.begin((*origin)[step.node].span).line;
    }
    run.ending = fmt::format("{} (states {} and {})", mismatch.what,
                             report.implementation.state_name(mismatch.implementation),
                             report.specification.state_name(mismatch.specification));
    return run;
}

void fill_conformance(Session& session, const symbolic::ConformReport& report,
                      const model::Protocol* implementation, const model::Protocol* specification) {
    report::Result& result = session.result;
    const symbolic::Conformance& found = report.conformance;
    result.answer = found.answer;
    result.stats["pairs"] = found.pairs;
    result.stats["evaluations"] = found.evaluations;
    result.stats["queries"] = report.queries;
    result.stats["remembered"] = report.remembered;
    const expr::Pool& pool = *report.specification.pool;
    switch (found.answer) {
        case base::Answer::holds: result.reason = "it conforms, for all values"; break;
        case base::Answer::fails: result.reason = "it does not conform"; break;
        case base::Answer::conditional:
            result.condition = expr::print(pool, found.condition);
            result.reason = "it conforms exactly under a condition";
            break;
        case base::Answer::undecided: result.reason = found.reason; break;
    }
    result.extra["condition"] =
        result.condition.empty() ? report::Json(nullptr) : report::Json(result.condition);
    if (found.answer != base::Answer::fails && found.answer != base::Answer::conditional) return;
    result.witness = run_of(report, implementation, specification, session.sources);
    result.extra["pair"] = {report.implementation.state_name(found.mismatch.implementation),
                            report.specification.state_name(found.mismatch.specification)};
}

}  // namespace treaty::cli
