// Which silent steps matter before an event, and which events may not be taken as if nothing were on its way.
//
// Silent steps are taken as late as possible (Klomp 2018, definition 3): only those that can lead to the
// event, that it would cut off although they have a lasting effect, or on whose data its own data depends.
// A step left out can be taken after the event just as well, so nothing is lost.
//
// must_wait() is figure 6 there, for nets: from this place, the input can come after something else that is
// visible (an output, or an input on another channel), so it is not known whether the role takes the input
// before or after it. crosses() adds what the theorem leaves to the tester: outputs that could be on their
// way and that exclude the input, or share data with it. Where neither holds for any token, an input may be
// taken the moment it is sent. Answers are remembered; cost of each first answer: linear in the net.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"

namespace treaty::track {

class Relevance {
public:
    // `subject` is the role the net belongs to; none: no label is an input or an output.
    Relevance(const model::Net& net, model::RoleId subject);

    struct Before {
        std::vector<model::TransitionId> silent;  // ascending
        bool conflict = false;                    // one of them may disturb the event once it could happen
    };
    const Before& before(model::TransitionId transition);

    bool must_wait(model::PlaceId place, model::LabelId input);
    bool crosses(model::PlaceId place, model::LabelId input);

    bool input(model::LabelId label) const;
    bool output(model::LabelId label) const;
    // Of an input or an output: the other role.
    model::RoleId peer(model::LabelId label) const;
    const std::vector<model::TransitionId>& of_label(model::LabelId label) const;

private:
    using Variables = std::vector<expr::VarId>;
    struct Access {
        Variables reads, writes;  // sorted
    };
    struct Crossing {
        bool must_wait = false;
        bool crosses = false;
    };

    void note_access();
    bool depend(std::size_t a, std::size_t b) const;
    bool cut_off(const model::Transition& by, const model::Transition& silent) const;
    Before find_before(model::TransitionId transition) const;
    Crossing find_crossing(model::PlaceId place, model::LabelId input);
    const Crossing& crossing(model::PlaceId place, model::LabelId input);
    bool excludes(model::TransitionId other, model::TransitionId event);

    const model::Net& net_;
    model::RoleId subject_;
    std::vector<std::vector<model::TransitionId>> by_label_;
    std::vector<model::TransitionId> silent_;
    std::vector<Access> access_;  // by transition; empty for nets without data
    std::vector<std::uint8_t> known_;
    std::vector<Before> before_;
    absl::flat_hash_map<std::uint64_t, Crossing> crossings_;
};

}  // namespace treaty::track
