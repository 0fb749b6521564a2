#include <map>

#include <fmt/format.h>

#include "expr/print.h"
#include "formats/data_text.h"
#include "formats/dot/dot.h"
#include "formats/dot/text.h"

namespace treaty::formats {
namespace {

using dot::quote;
using model::StateId;

std::string label_text(const model::Machine& machine, StateId s, std::size_t i) {
    std::string text = edge_text(machine, s, i);
    if (!machine.has_data() || !machine.pool()) return text;
    const model::EdgeData& data = machine.data(s, i);
    const expr::Pool& pool = *machine.pool();
    if (data.guard) text = fmt::format("[{}] {}", expr::print(pool, data.guard), text);
    text += arguments_text(pool, data.data);
    if (data.where) text += fmt::format(" where {}", expr::print(pool, data.where));
    if (!data.assignments.empty()) text += fmt::format(" / {}", assignments_text(pool, data.assignments));
    return text;
}

// Edges between the same two states become one arrow with several lines.
using Look = std::function<EdgeLook(StateId, std::size_t)>;

void draw(dot::Graph& graph, const model::Machine& machine, std::string_view prefix, const Look& look = {},
          const PartLines& lines = {}) {
    graph.node(fmt::format("{}start", prefix), "shape=point, width=0.08, label=\"\", fillcolor=\"#5b6b7b\"");
    graph.edge(fmt::format("{}start", prefix), fmt::format("{}s0", prefix));
    for (std::size_t i = 0; i < machine.state_count(); ++i) {
        StateId s(i);
        std::string label =
            machine.state_name(s).empty() ? fmt::format("{}", i) : std::string(machine.state_name(s));
        graph.node(fmt::format("{}s{}", prefix, i),
                   fmt::format("shape={}, label={}, margin=\"0.04,0.04\"",
                               machine.final(s) ? "doublecircle" : "circle", quote(label)));
        std::map<std::pair<StateId, std::string>, std::string> arrows;
        std::map<std::pair<StateId, std::string>, std::set<std::uint32_t>> arrow_lines;
        for (std::size_t k = 0; k < machine.out(s).size(); ++k) {
            EdgeLook edge = look ? look(s, k) : EdgeLook{label_text(machine, s, k), ""};
            std::pair key(machine.out(s)[k].target, edge.attributes);
            std::string& labels = arrows[key];
            if (!labels.empty()) labels += '\n';
            labels += edge.label;
            if (auto known = lines.labels.find(machine.out(s)[k].label); known != lines.labels.end())
                arrow_lines[key].insert(known->second.begin(), known->second.end());
        }
        for (const auto& [arrow, labels] : arrows)
            graph.edge(fmt::format("{}s{}", prefix, i), fmt::format("{}s{}", prefix, arrow.first.index),
                       fmt::format("label={}{}{}{}", quote(labels), arrow.second.empty() ? "" : ", ",
                                   arrow.second, dot::line_classes(arrow_lines[arrow])));
    }
}

}  // namespace

// Where it is clear whose machine it is, the other role is enough: "B!m", "A?m".
std::string edge_text(const model::Machine& machine, StateId s, std::size_t i) {
    const model::Alphabet& alphabet = machine.alphabet();
    const model::Edge& edge = machine.out(s)[i];
    const model::Event& e = alphabet.event(edge.label);
    std::string text;
    switch (e.kind) {
        case model::EventKind::silent: text = "\xcf\x84"; break;
        case model::EventKind::send:
            text = e.from == machine.role()
                       ? fmt::format("{}!{}", alphabet.name(e.to), alphabet.name(e.message))
                       : alphabet.print(edge.label);
            break;
        case model::EventKind::receive:
            text = e.to == machine.role()
                       ? fmt::format("{}?{}", alphabet.name(e.from), alphabet.name(e.message))
                       : alphabet.print(edge.label);
            break;
        case model::EventKind::interaction:
            text = fmt::format("{} \xe2\x86\x92 {}: {}", alphabet.name(e.from), alphabet.name(e.to),
                               alphabet.name(e.message));
            break;
        case model::EventKind::plain: text = alphabet.print(edge.label); break;
    }
    return text;
}

std::string write_dot(const model::Machine& machine) {
    return write_dot(machine, Look());
}

std::string write_dot(const model::Machine& machine, const PartLines& lines) {
    dot::Graph graph(machine.name(), dot::Direction::right);
    draw(graph, machine, "", {}, lines);
    return graph.finish();
}

std::string write_dot(const model::Machine& machine, const Look& look) {
    dot::Graph graph(machine.name(), look ? dot::Direction::down : dot::Direction::right);
    draw(graph, machine, "", look);
    return graph.finish();
}

std::string write_dot(const model::System& system) {
    dot::Graph graph(system.name(), dot::Direction::right);
    for (std::size_t i = 0; i < system.machines().size(); ++i) {
        const model::Machine& machine = system.machines()[i];
        graph.open_cluster(system.alphabet().name(machine.role()));
        draw(graph, machine, fmt::format("m{}_", i));
        graph.close_cluster();
    }
    return graph.finish();
}

}  // namespace treaty::formats
