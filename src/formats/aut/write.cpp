#include <algorithm>

#include <fmt/format.h>

#include "formats/aut/aut.h"

namespace treaty::formats {
namespace {

using model::Edge;
using model::LabelId;
using model::StateId;

// The text of each label that is used, and its place in the order of texts.
struct Labels {
    std::vector<std::string> texts;
    std::vector<std::uint32_t> rank;
};

Labels collect(const model::Machine& machine, Conversion& conversion) {
    const model::Alphabet& alphabet = machine.alphabet();
    Labels labels{std::vector<std::string>(alphabet.label_count()),
                  std::vector<std::uint32_t>(alphabet.label_count(), 0)};
    std::vector<bool> used(alphabet.label_count());
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const Edge& e : machine.out(StateId(s))) used[e.label.index] = true;
    std::vector<LabelId> order;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        LabelId id(i);
        std::string text = alphabet.print(id);
        bool silent = alphabet.event(id).kind == model::EventKind::silent;
        if (!silent && (text == "i" || text == "tau"))
            conversion.refuse({}, fmt::format(".aut would read event `{}` as the silent step", text));
        if (text.find_first_of("\n\r") != std::string::npos)
            conversion.refuse({}, "an event whose name has line breaks cannot be written in .aut");
        labels.texts[i] = std::move(text);
        order.push_back(id);
    }
    std::sort(order.begin(), order.end(),
              [&](LabelId a, LabelId b) { return labels.texts[a.index] < labels.texts[b.index]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        labels.rank[order[i].index] = static_cast<std::uint32_t>(i);
        if (i > 0 && labels.texts[order[i].index] == labels.texts[order[i - 1].index])
            conversion.refuse(
                {}, fmt::format("two events would both be written `{}`", labels.texts[order[i].index]));
    }
    return labels;
}

}  // namespace

std::optional<std::string> write_aut(const model::Machine& machine, Conversion& conversion) {
    if (machine.has_data()) conversion.refuse({}, "the machine has data, which .aut cannot express");
    std::size_t finals = 0;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (machine.final(StateId(s))) ++finals;
    if (finals > 0)
        conversion.lose({}, fmt::format(".aut has no final states: {} of {} would no longer be final", finals,
                                        machine.state_count()));
    Labels labels = collect(machine, conversion);
    if (!conversion.ok()) return std::nullopt;

    std::string out = fmt::format("des (0, {}, {})\n", machine.edge_count(), machine.state_count());
    auto into = std::back_inserter(out);
    std::vector<Edge> edges;
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto row = machine.out(StateId(s));
        edges.assign(row.begin(), row.end());
        std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
            return std::pair(labels.rank[a.label.index], a.target) <
                   std::pair(labels.rank[b.label.index], b.target);
        });
        for (const Edge& e : edges) {
            if (e.label == machine.alphabet().silent())
                fmt::format_to(into, "({}, i, {})\n", s, e.target.index);
            else
                fmt::format_to(into, "({}, \"{}\", {})\n", s, labels.texts[e.label.index], e.target.index);
        }
    }
    return out;
}

}  // namespace treaty::formats
