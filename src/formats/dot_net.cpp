#include <algorithm>

#include <fmt/format.h>

#include "expr/print.h"
#include "formats/data_text.h"
#include "formats/dot.h"
#include "formats/dot_text.h"

namespace treaty::formats {
namespace {

bool holds(std::span<const model::PlaceId> places, std::size_t i) {
    return std::binary_search(places.begin(), places.end(), model::PlaceId(i));
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

std::string write_dot(const model::Net& net) {
    dot::Graph graph(net.name(), dot::Direction::down);
    for (std::size_t i = 0; i < net.places().size(); ++i) {
        std::string look = holds(net.final(), i) ? "shape=doublecircle" : "shape=circle";
        if (net.places()[i].semaphore) look += ", style=\"filled,dashed\"";
        look += fmt::format(", width=0.3, fixedsize=true, fillcolor=\"#ffffff\", label=\"{}\"",
                            holds(net.initial(), i) ? "\xe2\x97\x8f" : "");
        graph.node(fmt::format("p{}", i), look);
    }
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        const model::Transition& t = net.transitions()[i];
        std::string id = fmt::format("t{}", i), text = transition_text(net, t);
        if (text.empty())
            graph.node(id, "shape=box, label=\"\", width=0.3, height=0.06, fillcolor=\"#3d5a80\"");
        else
            graph.node(id, fmt::format("shape=box, margin=\"0.1,0.04\", label={}", dot::quote(text)));
        for (model::PlaceId p : t.from) graph.edge(fmt::format("p{}", p.index), id);
        for (model::PlaceId p : t.clears)
            graph.edge(fmt::format("p{}", p.index), id, "style=dashed, color=\"#b5574b\", arrowhead=odot");
        for (model::PlaceId p : t.to) graph.edge(id, fmt::format("p{}", p.index));
    }
    return graph.finish();
}

}  // namespace treaty::formats
