// The text of one DOT graph as it grows: quoting, nodes, edges, clusters.
//
// Edges are buffered and printed after all nodes, because an edge inside a cluster would draw its ends into
// that cluster.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace treaty::formats::dot {

// The attribute, after a comma, that marks a part as one of these lines; empty if there are none.
std::string line_classes(const std::set<std::uint32_t>& lines);

// A quoted string for any bytes, with line breaks as centred lines.
std::string quote(std::string_view text);

enum class Direction { right, down };

class Graph {
public:
    Graph(std::string_view name, Direction direction);

    // attributes: as inside the brackets, "shape=circle, label=\"x\"".
    void node(std::string_view id, std::string_view attributes);
    void edge(std::string_view from, std::string_view to, std::string_view attributes = {});
    void open_cluster(std::string_view label, std::string_view attributes = {});
    void close_cluster();

    std::string finish();

private:
    void indent();

    std::string nodes_, edges_;
    std::size_t level_ = 1;
    std::size_t clusters_ = 0;
};

}  // namespace treaty::formats::dot
