#include "formats/dot/text.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace treaty::formats::dot {

std::string quote(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        char c = text[0];
        std::size_t length = base::code_point_length(text);
        if (length == 0) {
            out += "\xef\xbf\xbd";  // the replacement character
            text.remove_prefix(1);
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '&') {
            out += "&amp;";  // Graphviz reads entities even here
        } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
            out += ' ';
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out + '"';
}

std::string line_classes(const std::set<std::uint32_t>& lines) {
    std::string names;
    for (std::uint32_t line : lines) {
        if (line == 0) continue;
        names += fmt::format("{}line-{}", names.empty() ? "" : " ", line);
    }
    return names.empty() ? names : fmt::format(", class=\"{}\"", names);
}

Graph::Graph(std::string_view name, Direction direction) {
    nodes_ = fmt::format(
        "digraph {} {{\n"
        "  graph [rankdir={}, fontname=\"Helvetica\", fontsize=12, fontcolor=\"#33475b\", nodesep=0.3, "
        "ranksep=0.4, bgcolor=\"white\"];\n"
        "  node [fontname=\"Helvetica\", fontsize=11, fontcolor=\"#1d2b3a\", color=\"#3d5a80\", "
        "fillcolor=\"#eaf1f9\", style=\"filled\", penwidth=1.1];\n"
        "  edge [fontname=\"Helvetica\", fontsize=10, fontcolor=\"#33475b\", color=\"#5b6b7b\", "
        "arrowsize=0.7];\n",
        quote(name), direction == Direction::right ? "LR" : "TB");
}

void Graph::indent() {
    nodes_.append(2 * level_, ' ');
}

void Graph::node(std::string_view id, std::string_view attributes) {
    indent();
    nodes_ += fmt::format("{} [{}];\n", id, attributes);
}

void Graph::edge(std::string_view from, std::string_view to, std::string_view attributes) {
    edges_ += attributes.empty() ? fmt::format("  {} -> {};\n", from, to)
                                 : fmt::format("  {} -> {} [{}];\n", from, to, attributes);
}

void Graph::open_cluster(std::string_view label, std::string_view attributes) {
    indent();
    nodes_ += fmt::format("subgraph cluster_{} {{\n", clusters_++);
    ++level_;
    indent();
    nodes_ += fmt::format("label={}; color=\"#b8c4d0\"; style=\"rounded\";\n", quote(label));
    if (attributes.empty()) return;
    indent();
    nodes_ += fmt::format("{};\n", attributes);
}

void Graph::close_cluster() {
    --level_;
    indent();
    nodes_ += "}\n";
}

std::string Graph::finish() {
    return nodes_ + edges_ + "}\n";
}

}  // namespace treaty::formats::dot
