#include <algorithm>

#include <fmt/format.h>

#include "expr/print.h"
#include "formats/data_text.h"
#include "formats/dot/dot.h"
#include "formats/dot/text.h"

namespace treaty::formats {
namespace {

std::size_t tokens_on(std::span<const model::PlaceId> tokens, std::size_t i) {
    auto [first, last] = std::equal_range(tokens.begin(), tokens.end(), model::PlaceId(i));
    return static_cast<std::size_t>(last - first);
}

std::string place_look(const model::Net& net, std::size_t i) {
    const model::Place& place = net.places()[i];
    std::size_t start = tokens_on(net.initial(), i), end = tokens_on(net.final(), i);
    std::string look = end > 0 ? "shape=doublecircle" : "shape=circle";
    if (place.semaphore) look += ", style=\"filled,dashed\"";
    look += fmt::format(", width=0.3, fixedsize=true, fillcolor=\"#ffffff\", label=\"{}\"",
                        start == 0   ? ""
                        : start == 1 ? "\xe2\x97\x8f"
                                     : std::to_string(start));
    std::string beside = place.name;
    if (end > 1) beside += fmt::format("{}ends with {}", beside.empty() ? "" : ": ", end);
    if (!beside.empty()) look += fmt::format(", xlabel={}", dot::quote(beside));
    return look;
}

std::string weight_look(std::uint32_t weight) {
    return weight == 1 ? "" : fmt::format("label=\"{}\"", weight);
}

std::string transition_text(const model::Net& net, const model::Transition& t) {
    std::string text = t.silent() ? "" : net.alphabet().print(t.label);
    if (!net.pool()) return text;
    const expr::Pool& pool = *net.pool();
    if (t.guard) text = fmt::format("[{}] {}", expr::print(pool, t.guard), text);
    text += arguments_text(pool, t.data);
    if (t.where) text += fmt::format("\nwhere {}", expr::print(pool, t.where));
    if (!t.assignments.empty()) text += fmt::format("\n{}", assignments_text(pool, t.assignments));
    return text;
}

}  // namespace

std::string write_dot(const model::Net& net, const PartLines& lines) {
    dot::Graph graph(net.name(), dot::Direction::down);
    for (std::size_t i = 0; i < net.places().size(); ++i) {
        graph.node(fmt::format("p{}", i), place_look(net, i));
    }
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        const model::Transition& t = net.transitions()[i];
        std::string id = fmt::format("t{}", i), text = transition_text(net, t);
        bool known = t.node && t.node.index < lines.nodes.size();
        std::string classes = known ? dot::line_classes({lines.nodes[t.node.index]}) : std::string();
        if (text.empty())
            graph.node(id, "shape=box, label=\"\", width=0.3, height=0.06, fillcolor=\"#3d5a80\"" + classes);
        else
            graph.node(id,
                       fmt::format("shape=box, margin=\"0.1,0.04\", label={}{}", dot::quote(text), classes));
        for (auto [p, weight] : model::counted(t.from))
            graph.edge(fmt::format("p{}", p.index), id, weight_look(weight));
        for (model::PlaceId p : t.clears)
            graph.edge(fmt::format("p{}", p.index), id, "style=dashed, color=\"#b5574b\", arrowhead=odot");
        for (auto [p, weight] : model::counted(t.to))
            graph.edge(id, fmt::format("p{}", p.index), weight_look(weight));
    }
    return graph.finish();
}

}  // namespace treaty::formats
