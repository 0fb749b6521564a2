#include "api/pomset_dot.h"

#include <fmt/format.h>

#include "formats/dot/text.h"

namespace treaty::api {

std::string write_dot(const model::Specification& specification, const model::Protocol& protocol,
                      const choreo::PomsetFamily& family) {
    formats::dot::Graph graph(protocol.name(), formats::dot::Direction::down);
    for (std::size_t b = 0; b < family.branches.size(); ++b) {
        const choreo::Pomset& pomset = family.branches[b];
        graph.open_cluster(family.branches.size() == 1 ? "" : fmt::format("branch {}", b + 1));
        if (pomset.events.empty()) graph.node(fmt::format("b{}", b), "shape=plaintext, label=\"nothing\"");
        for (std::size_t i = 0; i < pomset.events.size(); ++i) {
            std::string label = specification.alphabet->print(pomset.events[i].label);
            graph.node(fmt::format("b{}e{}", b, i), "shape=plaintext, label=" + formats::dot::quote(label));
        }
        graph.close_cluster();
        for (auto [before, after] : pomset.order) {
            // The two halves of one message are told apart from the order of one role.
            bool message =
                pomset.events[before].node == pomset.events[after].node &&
                specification.alphabet->event(pomset.events[before].label).kind == model::EventKind::send;
            graph.edge(fmt::format("b{}e{}", b, before), fmt::format("b{}e{}", b, after),
                       message ? "style=bold" : "color=gray40");
        }
    }
    return graph.finish();
}

}  // namespace treaty::api
