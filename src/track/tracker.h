// Tracker: follows one conversation of one role on its net, event by event, and answers what may come next.
//
// A TrackedNet is made once for a net and shared by all sessions; a Tracker is one session: copying it is a
// snapshot, reset() begins the next one. The observer is a tester or a monitor that plays or watches the
// role's peers: observe_input() is a message it sent to the role, observe_output() one that arrived from it.
// With TrackOptions::asynchronous = false the observer is at the role itself and observe() is called with
// the role's events in the order in which they happened there (or, without a subject, with the
// interactions of a whole protocol's net).
//
// After `refused` or `lost` the tracker keeps the configurations of before, so that a report can say what
// was expected; reset() or reconsider() go on from there. Data: values of an event are the message's fields
// in order; an event whose transition names no data may carry any.
//
// Cost: for nets without data each set of configurations is kept once, with its successors by label, so a
// step is two memory reads once the set was seen before, whatever the number of sessions; answers about a set
// are remembered the same way. With data a step costs what its guards and values cost. The number of
// remembered sets is bounded (`remembered_limit`), and at the role itself a set is only remembered while such
// sets are met again; beyond that sets are computed anew each time, in place where there is one configuration
// and one successor.
// Not safe for concurrent use: one TrackedNet per thread. The net must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "track/inference.h"
#include "track/lean.h"

namespace treaty::track {

// An input that every possible configuration can take. The transitions are those of the first configuration
// that has any, each with the environment in which its guard holds; values are generated from that, and
// Tracker::takes() tells whether they suit the other configurations as well.
struct InputChoice {
    model::LabelId label;
    bool immediate = false;  // taken as soon as it arrives; no output can be crossing it
    bool safe = false;       // whatever is on its way, the role can still take it; otherwise it is a race
    std::vector<EnabledTransition>
        transitions;                   // may be empty if it is not immediate: an output has to come first
    std::vector<model::NodeId> nodes;  // the steps of the protocol it may be, ascending
};

// An output that some configuration may send next and that would be the next to arrive on its channel.
struct ExpectedOutput {
    model::LabelId label;
    model::TransitionId transition;
    model::NodeId node;
};

// What a long silence means for a conversation.
enum class Silence : std::uint8_t {
    nothing_new,  // every configuration explains it
    fewer,        // some do
    missing,      // none does: the role owes a message
};

class TrackedNet {
public:
    static constexpr std::size_t remembered_limit = 200'000;

    TrackedNet(const model::Net& net, model::RoleId subject, const TrackOptions& options = {});

    const model::Net& net() const { return inference_.net(); }
    Inference& inference() { return inference_; }
    bool has_data() const { return has_data_; }
    std::vector<ExpectedOutput> expected_outputs(const std::vector<Configuration>& set);

private:
    friend class Tracker;
    using SetId = std::uint32_t;
    static constexpr std::uint32_t unknown = ~0u, refused = ~0u - 1, lost = ~0u - 2;

    struct Answers {
        std::optional<std::vector<InputChoice>> inputs;
        std::optional<std::vector<ExpectedOutput>> outputs;
        std::optional<bool> may_end, must_output;
    };

    bool room() const;
    SetId intern(std::vector<Configuration> set);  // unknown if there is no room
    std::uint32_t step(SetId from, model::LabelId label);
    std::vector<InputChoice> allowed_inputs(const std::vector<Configuration>& set);
    bool may_end(const std::vector<Configuration>& set);
    bool must_output(const std::vector<Configuration>& set);
    Answers& lean_answers(LeanSteps::MarkingId marking);

    Inference inference_;
    LeanSteps lean_;
    std::vector<Answers> lean_answers_;  // by marking, where data does not matter
    expr::Environment tried_, taken_;    // of a step being made, kept for their memory
    bool has_data_ = false;
    bool data_free_prospects_ = false;  // what may come next does not depend on data
    std::size_t labels_ = 0;
    std::vector<std::vector<Configuration>> sets_;
    std::vector<std::uint32_t> next_;  // by set and label
    std::vector<Answers> answers_;
    absl::flat_hash_map<std::vector<std::uint32_t>, SetId> ids_;
    SetId start_ = unknown;
    std::uint64_t steps_ = 0;  // made on remembered sets
};

class Tracker {
public:
    explicit Tracker(std::shared_ptr<TrackedNet> net);

    EventVerdict observe_input(model::LabelId label, std::span<const expr::Value> values = {}) {
        return observe(label, values);
    }
    EventVerdict observe_output(model::LabelId label, std::span<const expr::Value> values = {}) {
        return observe(label, values);
    }
    EventVerdict observe(model::LabelId label, std::span<const expr::Value> values = {});

    // What the tester may send: allowed in every possible configuration. In order of labels. This and
    // expected_outputs() stay valid until the next event or question of any tracker of the same net.
    const std::vector<InputChoice>& allowed_inputs();
    // Whether the role may be waiting for this input although it owes something else (inference.h).
    bool beside(model::LabelId input);
    // Whether, wherever the role is, it may get nothing more (inference.h).
    bool may_get_nothing_more();
    // Whether, after this input, the role may owe an output for which no data is allowed (inference.h).
    bool leads_to_no_value(model::LabelId input, std::span<const expr::Value> values) const;
    // Whether every configuration takes this input with these values, now or after outputs on their way.
    bool takes(model::LabelId input, std::span<const expr::Value> values);
    // Whether some configuration takes this input after messages of others (inference.h).
    bool takes_later(model::LabelId input);
    // The step of this event, if some configuration takes it with these values before anything else; the
    // first one in the order of transitions.
    model::NodeId step_of(model::LabelId label, std::span<const expr::Value> values);
    // All that it may be.
    std::vector<model::NodeId> steps_of(model::LabelId label, std::span<const expr::Value> values);
    // What the role may send next, in some configuration. In order of transitions.
    const std::vector<ExpectedOutput>& expected_outputs();
    // The fields of an expected output whose values are known beforehand, in some configuration.
    std::vector<std::optional<expr::Value>> known_fields(const ExpectedOutput& output) const;
    // The conversation may be over: in some configuration the role has finished and nothing is on its way.
    bool may_end();
    // Every configuration owes an output: when everything sent has arrived, silence is a fault.
    bool must_output();
    // Nothing has come for so long that nothing can be on its way any more: forgets the configurations in
    // which something would be, unless that leaves none.
    Silence fall_silent();

    // What was sent last can be taken by the role wherever it is (Determined): forgets the configurations in
    // which it never would be.
    void forget_inexplicable();
    bool some_inexplicable();

    std::span<const Configuration> configurations() const;
    std::size_t possibilities() const {
        return lean_ != LeanSteps::none ? 1 : set().size();
    }  // how many they are
    bool lost() const { return lost_; }
    TrackedNet& net() const { return *net_; }

    void reset();
    // Goes on from a set that configurations() gave earlier, for sessions that were kept in a file.
    void restore(std::vector<Configuration> set, bool lost);
    // Goes on from the given events with other options, for reports: the same events tracked without the
    // shortcut show where the role itself may be, not only the conversation (Klomp 2018, section 2.4).
    static Tracker reconsider(std::shared_ptr<TrackedNet> net, std::span<const Pending> events);

private:
    using Answers = TrackedNet::Answers;

    // The set of its own, and what is known about it. Apart, since most sessions never need one.
    struct Own {
        std::vector<Configuration> set;  // of the single one made when asked for
        bool made = false;
        Answers answers;
    };
    class OwnSet {
    public:
        OwnSet() = default;
        OwnSet(const OwnSet& other) : own_(other.own_ ? std::make_unique<Own>(*other.own_) : nullptr) {}
        OwnSet(OwnSet&&) noexcept = default;
        OwnSet& operator=(OwnSet other) noexcept {
            own_ = std::move(other.own_);
            return *this;
        }
        Own& operator*() {
            if (!own_) own_ = std::make_unique<Own>();
            return *own_;
        }
        Own* operator->() { return &**this; }
        // Nothing is known any more; the set of a single one has to be made again.
        void forget(bool made) {
            if (!own_) return;
            own_->answers = {};
            own_->made = own_->made && made;
        }

    private:
        std::unique_ptr<Own> own_;
    };

    const std::vector<Configuration>& set() const;  // the set that is now
    Answers& answers();                             // what is known about it
    bool data_free() const { return lean_ != LeanSteps::none && net_->data_free_prospects_; }
    bool step_lean(model::LabelId label, std::span<const expr::Value> values);
    bool may_be(model::TransitionId transition, const Values& values);
    EventVerdict step_own(model::LabelId label, std::span<const expr::Value> values);
    std::optional<EventVerdict> step_in_place(model::LabelId label);
    void keep(std::vector<Configuration> set);

    std::shared_ptr<TrackedNet> net_;
    // One of three: a remembered set, a single configuration with nothing pending, or a set of its own.
    TrackedNet::SetId set_ = TrackedNet::unknown;
    LeanSteps::MarkingId lean_ = LeanSteps::none;
    expr::Environment environment_;  // of the single one
    mutable OwnSet own_;
    bool lost_ = false;
};

}  // namespace treaty::track
