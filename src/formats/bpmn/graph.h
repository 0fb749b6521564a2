// A choreography as the graph that its sequence flows make.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats::bpmn {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_nodes = 500;

enum class NodeKind : std::uint8_t { start, end, task, exclusive, parallel, inner };

struct Flow {
    std::size_t to = none;
    std::string condition = {};  // its name, for people
};

struct Node {
    NodeKind kind = NodeKind::task;
    base::Span span = {};
    std::string name = {};
    std::string initiator = {}, other = {};   // task: the roles; inner: who begins
    std::string request = {}, response = {};  // task: messages; the response may be missing
    bool repeated = false;                    // task, inner: a loop
    std::size_t graph = none;                 // inner: in Choreography::graphs
    std::vector<Flow> out = {};
    std::size_t in = 0;
};

struct Graph {
    std::vector<Node> nodes = {};
    std::size_t start = none;
};

struct Choreography {
    std::string name = {};
    base::Span span = {};
    std::vector<std::string> roles = {};
    std::vector<Graph> graphs = {};  // the outermost first, then those of sub-choreographies
};

// Nothing if an error was reported.
std::optional<std::vector<Choreography>> read_graphs(const base::SourceMap& sources, base::FileId file,
                                                     base::Diagnostics& diagnostics);

// For each node the first node that all ways from it to an end pass, other than itself, if there is one. If
// no way leads to an end, a loop that nothing leaves counts as one, at the node where it begins.
std::vector<std::size_t> meeting_points(const Graph& graph);
// Whether a flow leads back to a node.
std::vector<bool> loop_heads(const Graph& graph);

}  // namespace treaty::formats::bpmn
