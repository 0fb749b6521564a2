// Symbolic graphs of what files hold, for the questions about data, and how two of them differ.
#pragma once

#include <optional>
#include <string>

#include "api/inputs.h"
#include "api/inquiry.h"
#include "model/symbolic_graph.h"
#include "symbolic/conform.h"

namespace treaty::api {

// A graph, with the specification whose steps it refers to (for lines), if it comes from one.
struct GraphInput {
    model::SymbolicGraph graph;
    std::optional<ProtocolInput> input;

    const model::Protocol* protocol() const { return input ? input->protocol : nullptr; }
};

// Of a protocol, of a machine, or of the machines of a system stepping together. Gives nothing for a file
// that has no graph: that is reported, or, where a limit was reached, makes the answer "undecided".
std::optional<GraphInput> load_graph(const Inquiry& inquiry, const std::string& path,
                                     const std::string& protocol);

// The run to where implementation and specification differ, with what differs there as its ending. The
// protocols are where the graphs come from, for the lines of the steps; null if from nowhere.
model::Run mismatch_run(const symbolic::ConformReport& report, const model::Protocol* implementation,
                        const model::Protocol* specification, const base::SourceMap& sources);

}  // namespace treaty::api
