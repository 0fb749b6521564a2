#include "explore/refine_graph.h"

namespace treaty::explore {

using model::LabelId;

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

LabelId LabelMap::find(LabelId label) {
    while (known_.size() <= label.index) known_.emplace_back();
    if (label == from_.silent()) return to_.silent();
    if (known_[label.index]) return known_[label.index];
    for (; read_ < to_.label_count(); ++read_) texts_.emplace(to_.print(LabelId(read_)), LabelId(read_));
    auto found = texts_.find(from_.print(label));
    // An event that is called like the silent step is not the silent step.
    if (found == texts_.end() || found->second == to_.silent()) return {};
    return known_[label.index] = found->second;
}

}  // namespace treaty::explore
