#include "track/lean.h"

#include <algorithm>

namespace treaty::track {

using model::LabelId;
using model::TransitionId;

LeanSteps::LeanSteps(Inference& inference)
    : inference_(inference), labels_(inference.net().alphabet().label_count()) {}

LeanSteps::MarkingId LeanSteps::intern(const Marking& marking) {
    auto known = ids_.find(marking);
    if (known != ids_.end()) return known->second;
    if (markings_.size() >= limit) return none;
    auto id = static_cast<MarkingId>(markings_.size());
    ids_.emplace(marking, id);
    markings_.push_back(marking);
    known_.resize(known_.size() + labels_, 0);
    return id;
}

// Whether the event, if some transition takes it, leaves no configuration in which it is still on its way.
bool LeanSteps::nothing_pending(const Marking& marking, LabelId label) {
    const TrackOptions& options = inference_.options();
    if (!options.asynchronous || !inference_.subject()) return true;
    Configuration here{marking, {}, {}};
    if (inference_.relevance().input(label)) return inference_.shortcut_sound(here, label);
    here.pending.push_back({label, nullptr});
    return inference_.output_channels() < 2 || !inference_.overtaken(here, false);
}

bool LeanSteps::plain(const Marking& marking, LabelId label, std::vector<TransitionId>& taken) {
    const auto transitions = inference_.net().transitions();
    for (TransitionId t : inference_.relevance().of_label(label)) {
        bool here = enabled(marking, transitions[t.index]);
        const Relevance::Before& way = inference_.relevance().before(t);
        bool moves = std::any_of(way.silent.begin(), way.silent.end(),
                                 [&](TransitionId s) { return enabled(marking, transitions[s.index]); });
        if (moves && !(here && !way.conflict)) return false;
        if (here) taken.push_back(t);
    }
    return nothing_pending(marking, label);
}

LeanSteps::Step LeanSteps::find(MarkingId from, LabelId label) {
    std::vector<TransitionId> taken;
    Step step;
    step.plain = plain(markings_[from], label, taken);
    step.begin = static_cast<std::uint32_t>(alternatives_.size());
    for (TransitionId t : taken) {
        if (!step.plain) break;
        MarkingId to = intern(fired(markings_[from], inference_.net().transitions()[t.index]));
        if (to == none)
            step.plain = false;
        else
            alternatives_.push_back({t, to});
    }
    step.count = static_cast<std::uint32_t>(alternatives_.size()) - step.begin;
    steps_.push_back(step);
    known_[from * labels_ + label.index] = static_cast<std::uint32_t>(steps_.size());
    return step;
}

}  // namespace treaty::track
