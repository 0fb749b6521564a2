#include "explore/refine/graph.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::explore {

using model::LabelId;
using model::StateId;

namespace {

// The plain event that a message between roles is in a script; empty for other labels.
std::string as_plain(const model::Alphabet& names, LabelId label) {
    const model::Event& event = names.event(label);
    std::string_view word = event.kind == model::EventKind::send          ? "send"
                            : event.kind == model::EventKind::receive     ? "receive"
                            : event.kind == model::EventKind::interaction ? "message"
                                                                          : "";
    if (word.empty()) return {};
    return fmt::format("{}.{}.{}.{}", word, names.name(event.from), names.name(event.to),
                       names.name(event.message));
}

}  // namespace

void Graph::give_up(base::StopReason reason, std::string why) {
    if (broken_) return;
    broken_ = true;
    stopped_ = reason;
    why_ = std::move(why);
}

bool MachineGraph::never_silent() {
    for (std::size_t s = 0; s < machine_.state_count(); ++s) {
        auto edges = machine_.out(model::StateId(s));
        if (!edges.empty() && edges.front().label == alphabet().silent()) return false;
    }
    return true;
}

std::span<const model::Edge> WithoutEnds::out(StateId s) {
    constexpr StateId stopped{1u};
    if (s == stopped) return {};
    auto& edges = known_[s];
    if (edges) return *edges;
    StateId inner = s.index == 0 ? s : StateId(std::size_t(s.index) - 1);
    edges = std::make_unique<std::vector<model::Edge>>();
    for (const model::Edge& e : of_.out(inner))
        edges->push_back(
            {e.label, e.target.index == 0 ? e.target : StateId(std::size_t(e.target.index) + 1)});
    if (!edges->empty() && of_.final(inner)) edges->push_back({alphabet().silent(), stopped});
    std::sort(edges->begin(), edges->end());
    if (of_.broken()) give_up(of_.stopped(), of_.why());
    return *edges;
}

LabelId LabelMap::find(LabelId label) {
    while (known_.size() <= label.index) known_.emplace_back();
    if (label == from_.silent()) return to_.silent();
    if (known_[label.index]) return known_[label.index];
    for (; read_ < to_.label_count(); ++read_) {
        texts_.emplace(to_.print(LabelId(read_)), LabelId(read_));
        if (std::string plain = as_plain(to_, LabelId(read_)); !plain.empty())
            plain_texts_.emplace(std::move(plain), LabelId(read_));
    }
    auto in = [](const auto& texts, const std::string& text) {
        auto found = texts.find(text);
        return found == texts.end() ? LabelId() : found->second;
    };
    std::string text = from_.print(label);
    LabelId found = in(texts_, text);
    if (!found) found = in(texts_, as_plain(from_, label));
    if (!found && from_.event(label).kind == model::EventKind::plain) found = in(plain_texts_, text);
    return known_[label.index] = found;
}

}  // namespace treaty::explore
