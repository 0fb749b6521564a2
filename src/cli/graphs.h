// Symbolic graphs of what files hold, for the verbs that reason about data.
#pragma once

#include <optional>
#include <string>

#include "cli/inputs.h"
#include "cli/session.h"
#include "symbolic/conform.h"
#include "symbolic/graph.h"

namespace treaty::cli {

// A file's graph, with the specification it points into (for lines), if it has one.
struct GraphInput {
    symbolic::Graph graph;
    std::optional<ProtocolInput> protocol;
};

// A protocol, a machine, or the machines of a system stepping together. What has no graph is reported, or
// makes the answer "undecided".
std::optional<GraphInput> load_graph(Session& session, const std::string& path, const std::string& protocol);

// The result of a comparison as the session's answer: reason, condition, witness, statistics.
void fill_conformance(Session& session, const symbolic::ConformReport& report,
                      const model::Protocol* implementation, const model::Protocol* specification);

report::Run run_of(const symbolic::ConformReport& report, const model::Protocol* implementation,
                   const model::Protocol* specification, const base::SourceMap& sources);

}  // namespace treaty::cli
