#include "api/models/graphs.h"

#include <fmt/format.h>

#include "formats/load.h"
#include "symbolic/codes.h"
#include "symbolic/import_graph.h"
#include "symbolic/machine_graph.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"

namespace treaty::api {
namespace {

symbolic::GraphResult graph_of(const model::System& system, const symbolic::GraphLimits& limits) {
    symbolic::Meeting meeting = symbolic::Meeting::fresh();
    std::vector<model::SymbolicGraph> parts;
    for (const model::Machine& machine : system.machines()) {
        auto part = symbolic::import_graph(symbolic::machine_graph(machine), meeting);
        if (!part) return part;
        parts.push_back(std::move(*part));
    }
    for (model::SymbolicGraph& part : parts) part.payload = meeting.payload;
    return symbolic::product(parts, limits);
}

}  // namespace

std::optional<GraphInput> load_graph(const Inquiry& inquiry, const std::string& path,
                                     const std::string& protocol) {
    Loaded loaded = load(inquiry, path);
    if (!loaded) return std::nullopt;
    symbolic::GraphResult made = base::Fault{};
    std::optional<ProtocolInput> input;
    if (auto* machine = loaded.get<model::Machine>()) {
        made = symbolic::machine_graph(*machine);
    } else if (auto* system = loaded.get<model::System>()) {
        made = graph_of(*system, inquiry.context.graph_limits());
    } else if (loaded.get<model::Specification>()) {
        input = protocol_of(inquiry, std::move(loaded), path, protocol);
        if (!input) return std::nullopt;
        made =
            symbolic::protocol_graph(input->specification, *input->protocol, inquiry.context.graph_limits());
    } else {
        inquiry.report(
            symbolic::codes::not_comparable,
            fmt::format("{} contains {}, which has no symbolic graph", path, formats::describe(loaded)));
        return std::nullopt;
    }
    if (!made) {
        inquiry.undecided(fmt::format("{}: {}", path, made.error()));
        return std::nullopt;
    }
    return GraphInput{std::move(*made), std::move(input)};
}

model::Run mismatch_run(const symbolic::ConformReport& report, const model::Protocol* implementation,
                        const model::Protocol* specification, const base::SourceMap& sources) {
    const symbolic::Mismatch& mismatch = report.conformance.mismatch;
    const model::Alphabet& alphabet = *report.specification.alphabet;
    const expr::Pool& pool = *report.specification.pool;
    model::Run run;
    for (const symbolic::ConformanceStep& step : mismatch.run) {
        model::RunEvent& event = run.events.emplace_back(model::event_of(alphabet, step.label));
        model::add_values(event, pool, step.data);
        event.line =
            model::line_of(step.mover == symbolic::Mover::implementation ? implementation : specification,
                           step.node, sources);
    }
    run.ending = fmt::format("{} (states {} and {})", mismatch.what,
                             report.implementation.state_name(mismatch.implementation),
                             report.specification.state_name(mismatch.specification));
    return run;
}

}  // namespace treaty::api
