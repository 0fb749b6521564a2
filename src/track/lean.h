// What an event does to a single configuration with nothing on its way, without data: found once, then
// remembered by marking and label. That is the usual case of nets with data, and makes a step of theirs a
// table look-up and the work on its data.
//
// A step is plain if the transitions that take the event need no silent step before and nothing stays
// pending; then its alternatives are all there are. Anything else is left to Inference. Not safe for
// concurrent use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "track/inference.h"

namespace treaty::track {

class LeanSteps {
public:
    using MarkingId = std::uint32_t;
    static constexpr MarkingId none = ~0u;
    static constexpr std::size_t limit = 200'000;  // markings

    explicit LeanSteps(Inference& inference);

    struct Alternative {
        model::TransitionId transition;
        MarkingId to = none;
    };
    struct Step {
        bool plain = false;
        std::uint32_t begin = 0, count = 0;
    };

    MarkingId intern(const Marking& marking);  // none if there is no room
    const Marking& marking(MarkingId id) const { return markings_[id]; }
    std::size_t size() const { return markings_.size(); }
    Step step(MarkingId from, model::LabelId label) {
        std::uint32_t known = known_[from * labels_ + label.index];
        return known != 0 ? steps_[known - 1] : find(from, label);
    }
    // Valid until the next step is found.
    std::span<const Alternative> alternatives(Step step) const {
        return std::span(alternatives_).subspan(step.begin, step.count);
    }

private:
    Step find(MarkingId from, model::LabelId label);
    bool plain(const Marking& marking, model::LabelId label, std::vector<model::TransitionId>& taken);
    bool nothing_pending(const Marking& marking, model::LabelId label);

    Inference& inference_;
    std::size_t labels_;
    std::vector<Marking> markings_;
    absl::flat_hash_map<Marking, MarkingId> ids_;
    std::vector<std::uint32_t> known_;  // by marking and label: position in steps_ and one, or 0
    std::vector<Step> steps_;
    std::vector<Alternative> alternatives_;
};

}  // namespace treaty::track
