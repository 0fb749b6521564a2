// One step of tracking: from the set of possible configurations before an event to the set after it.
//
// Synchronous: the observer sees the events of the role as they happen, so each is taken at once.
// Asynchronous (Klomp 2018, section 1.3, after Tretmans; for nets and one queue per channel): an input that
// was sent may be taken now or later; an output that arrived was sent earlier, perhaps before inputs that
// are still on their way, and perhaps after outputs on other channels that have not arrived yet. The order
// within a channel is kept, and an input is never taken before an output that arrived before it was sent.
//
// With the shortcut, an input that no message on its way can cross (relevance.h) is taken at once: fewer
// configurations, the same verdicts.
//
// What holds: if the role behaves as its net says, one configuration of the set is where it really is, or
// is equivalent to it by the shortcut. Work is bounded: a set beyond `limit` configurations, or a search for
// silent steps beyond `search_limit` markings, gives `lost`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "track/configuration.h"
#include "track/relevance.h"

namespace treaty::track {

struct TrackOptions {
    bool asynchronous = true;
    bool shortcut = true;
    std::size_t limit = 1000;           // configurations in a set
    std::size_t search_limit = 20'000;  // markings visited by one search
};

// Of one event that was observed.
enum class EventVerdict : std::uint8_t {
    allowed,  // some configuration allows it
    refused,  // none does
    lost,     // a limit was reached: nothing is known any more
};

struct EventResult {
    EventVerdict verdict = EventVerdict::refused;
    std::vector<Configuration> after;  // only if allowed
};

// A labelled transition that can be next, with the environment in which its guard held.
struct EnabledTransition {
    model::TransitionId transition;
    expr::Environment environment;
};

class Inference {
public:
    // `subject` is the role whose net it is; none: the net of a whole protocol, synchronous only.
    Inference(const model::Net& net, model::RoleId subject, const TrackOptions& options);

    std::vector<Configuration> start() const;

    EventResult observe(const std::vector<Configuration>& set, model::LabelId label,
                        std::shared_ptr<const Values> values);
    // The set after one of these transitions was taken at the role itself, silent steps before it as needed.
    EventResult take(const std::vector<Configuration>& set, std::span<const model::TransitionId> transitions,
                     const Values* values);

    // The transitions that may be next in this configuration, guards checked, event data not; silent steps
    // are taken as needed, pending events are not. Where the search limit is reached some may be missing, and
    // `gave_up` is set.
    std::vector<EnabledTransition> next(const Configuration& configuration, bool* gave_up = nullptr);

    // The transitions by which the role may send this output after others that were not seen yet, on other
    // channels, in the order of how many steps are before them; with what is known of the data there. Where
    // the search limit is reached some may be missing.
    std::vector<EnabledTransition> later(const Configuration& configuration, model::LabelId output);

    // Whether an output that was not seen may have been sent before every output that is pending, and these
    // after it. If none may, taking one of them loses nothing. True if the search limit is
    // reached.
    bool overtaken(const Configuration& configuration, bool with_data = true);
    // Whether some run, in which outputs that were not seen may happen, takes all pending events; or, if not
    // `all`, all pending outputs. Data is not looked at. True where the search limit is reached.
    bool explicable(const Configuration& configuration, bool all);
    // The same for outputs, after this transition, which may be next here.
    bool leaves_outputs_explicable(const Configuration& configuration, model::TransitionId transition);
    // Whether, whatever the role does on its own, it can still take the input when it arrives. Data is not
    // looked at. False where the search limit is reached.
    bool safe(const Configuration& configuration, model::LabelId input);
    // Whether the role may leave where it is on its own (own_moves_).
    bool moves_silently(const Configuration& configuration) const;
    // Whether the role may take the input after other events, none of them from the same sender. Data is not
    // looked at. True where the search limit is reached.
    bool takes_later(const Configuration& configuration, model::LabelId input);
    // What the role can take next; guards are looked at, so this knows more than the places alone show.
    struct Listening {
        std::vector<bool> kept;  // by label: whatever the role does silently on its own, it can come to it
        std::optional<model::RoleId> only;  // nothing is pending, and an input of this role must be next
    };
    // Nothing of either where the search limit is reached.
    Listening listening(const Configuration& configuration);
    // Whether the role takes the input now (silent steps apart), and no message can be crossing it.
    bool immediate(const Configuration& configuration, model::LabelId input);
    // Whether the role can come to where it takes the input, silent steps apart, and everything that it owes
    // there stays owed: a role that does its parallel segments one after the other may wait for it first.
    bool beside(const Configuration& configuration, model::LabelId input);
    bool may_end(const Configuration& configuration);
    // Whether the role may come to its end without another input than those that were sent already: it cannot
    // wait for one before it sends what it owes. False where the search limit is reached.
    bool may_get_nothing_more(const Configuration& configuration);
    // Whether the role owes an output for which no data is allowed, because something in it has no value (an
    // integer beyond 64 bits), and can send nothing else instead.
    bool owes_what_has_no_value(const Configuration& configuration);
    // Whether the role may keep silent from here on until it gets something that was not sent yet.
    bool rests(const Configuration& configuration);
    // Whether the configuration explains a long silence: nothing the role has sent is still on its way, and
    // it may rest. A pending output means that something else was sent before it and has not arrived.
    bool explains_silence(const Configuration& configuration);

    // Whether what is pending at this position may be taken next.
    bool may_take(const std::vector<Pending>& pending, std::size_t position) const;

    const model::Net& net() const { return net_; }
    Relevance& relevance() { return relevance_; }
    const TrackOptions& options() const { return options_; }
    expr::Programs& programs() { return *programs_; }  // of a net with data
    model::RoleId subject() const { return subject_; }
    std::size_t output_channels() const { return output_channels_; }
    // Whether an input that is sent now may be taken at once: nothing on its way can cross it.
    bool shortcut_sound(const Configuration& configuration, model::LabelId input);

private:
    using Emit = std::function<void(Configuration)>;
    struct TokenGraph;

    bool data(const model::Transition& t, const Values* values, expr::Environment& environment) const {
        std::optional<std::span<const expr::Value>> known;
        if (values) known = *values;
        return !programs_ || run_data(*programs_, t, known, environment);
    }
    bool guard_holds(const model::Transition& t, const expr::Environment& environment) const {
        return !t.guard || programs_->satisfied(t.guard, environment);
    }
    void go_on(const Configuration& here, ConfigurationSet& nodes);
    bool outputs_fit(const Configuration& c);
    bool takes_pending(const Configuration& c, const std::vector<Pending>& pending);
    void take_lazily(const Configuration& c, model::TransitionId t, const Values* values, const Emit& emit);
    void take_label(const Configuration& c, model::LabelId label, const Values* values, const Emit& emit);
    ConfigurationSet observe_asynchronously(const std::vector<Configuration>& set, const Pending& event);
    void close(std::vector<Configuration> seeds, ConfigurationSet& result);
    enum class Silently : std::uint8_t { any_step, own_moves };
    std::vector<Configuration> silent_closure(const Configuration& c, Silently which = Silently::any_step);
    void find_own_moves();
    TokenGraph token_graph(const Configuration& c);
    // What was asked of these tokens and pending labels before is remembered.
    enum class Question : std::uint32_t { all_taken, outputs_taken, always_drains };
    bool prospect(Question question, const Configuration& c);
    bool find_prospect(Question question, const Configuration& c);
    bool may_have_stopped(const Configuration& c) const;
    const std::vector<model::TransitionId>& candidates(const Marking& marking);
    // The transitions whose tokens are there, ascending; found once for each marking.
    struct Enabled {
        std::vector<model::TransitionId> silent, visible;
    };
    std::shared_ptr<const Enabled> enabled_in(const Marking& marking) const;
    const model::Transition& transition(model::TransitionId id) const { return net_.transitions()[id.index]; }

    const model::Net& net_;
    mutable std::optional<expr::Programs> programs_;  // none: no data
    model::RoleId subject_;
    TrackOptions options_;
    Relevance relevance_;
    std::size_t output_channels_ = 0;
    // By transition: silent steps after which, or instead of which, the role may send before it receives
    // anything. It takes these on its own. All others are decisions of other roles that it learns by what it
    // receives: a role that waits for `x`, or for `y` where an optional `x` is left out, waits for both.
    std::vector<bool> own_moves_;
    std::vector<bool> before_output_;  // by place: the role may send from here before it receives anything
    bool lost_ = false;                // in the step being made
    absl::flat_hash_map<std::vector<std::uint32_t>, bool> prospects_;
    absl::flat_hash_map<Marking, std::vector<model::TransitionId>> candidates_;
    mutable absl::flat_hash_map<Marking, std::shared_ptr<const Enabled>> enabled_;
};

}  // namespace treaty::track
