#include "track/steps_of_run.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace treaty::track {
namespace {

using model::NodeId;
using model::Transition;

constexpr std::uint32_t none = ~0u;

// Depth first: a step that was seen is tried before one that was not.
class RunSearch {
public:
    RunSearch(Inference& inference, std::span<const SeenEvent> events, bool ended, std::size_t limit)
        : net_(inference.net()),
          relevance_(inference.relevance()),
          events_(events),
          ended_(ended),
          limit_(limit) {
        channel_of_label_.resize(net_.alphabet().label_count(), none);
        for (const Transition& t : net_.transitions())
            if (!t.silent()) channel(t.label);
        for (std::uint32_t i = 0; i < events.size(); ++i)
            channels_[channel(events[i].label)].events.push_back(i);
    }

    std::vector<NodeId> run() {
        std::vector<std::uint32_t> stack;
        reach({initial_marking(net_), {}, std::vector<std::uint32_t>(channels_.size()), none, none, {}},
              stack);
        std::size_t most = 0;
        std::uint32_t best = none;
        while (!stack.empty() && situations_.size() <= limit_) {
            std::uint32_t at = stack.back();
            stack.pop_back();
            std::size_t worth = 2 * explained(situations_[at]);
            if (worth > 0 && ended_ && successful(net_, situations_[at].marking)) ++worth;
            if (worth > most) most = worth, best = at;
            if (most == 2 * events_.size() + (ended_ ? 1 : 0)) break;
            for (bool seen : {false, true})  // what is pushed last is tried first
                for (const Transition& t : net_.transitions())
                    if (enabled(situations_[at].marking, t)) go(at, t, seen, stack);
        }
        return best == none ? std::vector<NodeId>() : steps(best);
    }

private:
    struct Channel {
        bool output = false;
        std::vector<std::uint32_t> events;
    };
    struct Situation {
        Marking marking;
        expr::Environment environment;
        std::vector<std::uint32_t> done;  // by channel
        std::uint32_t before;             // the situation from which a step led here
        std::uint32_t event;              // that this step was
        NodeId node;
    };

    std::uint32_t channel(model::LabelId label) {
        std::uint32_t& known = channel_of_label_[label.index];
        if (known != none) return known;
        std::pair key(relevance_.output(label), relevance_.peer(label));
        auto found = std::find(keys_.begin(), keys_.end(), key);
        known = static_cast<std::uint32_t>(found - keys_.begin());
        if (found == keys_.end()) {
            keys_.push_back(key);
            channels_.push_back({key.first, {}});
        }
        return known;
    }

    // How many events are taken; none if one that the role has sent is not.
    std::size_t explained(const Situation& s) const {
        std::size_t taken = 0;
        for (std::size_t c = 0; c < channels_.size(); ++c) {
            if (channels_[c].output && s.done[c] < channels_[c].events.size()) return 0;
            taken += s.done[c];
        }
        return taken;
    }

    // What was there before this event was sent to the role has been sent by it.
    bool sent_before(const Situation& s, std::uint32_t event) const {
        for (std::size_t c = 0; c < channels_.size(); ++c)
            if (channels_[c].output && s.done[c] < channels_[c].events.size() &&
                channels_[c].events[s.done[c]] < event)
                return false;
        return true;
    }

    // seen: the transition is an event that was seen; otherwise a silent one, or an output that was not.
    void go(std::uint32_t at, const Transition& t, bool seen, std::vector<std::uint32_t>& stack) {
        const Situation& here = situations_[at];
        std::uint32_t event = none;
        std::uint32_t on = none;
        if (!t.silent()) {
            on = channel_of_label_[t.label.index];
            bool more = here.done[on] < channels_[on].events.size();
            if (more) event = channels_[on].events[here.done[on]];
            if (more &&
                (events_[event].label != t.label || (!channels_[on].output && !sent_before(here, event))))
                return;
            if (!more && !relevance_.output(t.label)) return;
        }
        if (seen != (event != none)) return;
        if (seen) {
            const std::vector<NodeId>& steps = events_[event].steps;
            if (!steps.empty() && std::find(steps.begin(), steps.end(), t.node) == steps.end()) return;
        }
        Situation next{{}, here.environment, here.done, at, event, t.node};
        std::optional<std::span<const expr::Value>> values;
        if (event != none) values = events_[event].values, ++next.done[on];
        if (net_.pool() && !may_run_data(*net_.pool(), t, values, next.environment)) return;
        next.marking = fired(here.marking, t);
        reach(std::move(next), stack);
    }

    void reach(Situation s, std::vector<std::uint32_t>& stack) {
        auto same = [&](std::uint32_t i) {
            const Situation& other = situations_[i];
            return other.marking == s.marking && other.done == s.done && other.environment == s.environment;
        };
        std::vector<std::uint32_t> key = s.marking;
        key.insert(key.end(), s.done.begin(), s.done.end());
        std::vector<std::uint32_t>& alike = found_[std::move(key)];
        if (std::any_of(alike.begin(), alike.end(), same)) return;
        auto id = static_cast<std::uint32_t>(situations_.size());
        alike.push_back(id);
        situations_.push_back(std::move(s));
        stack.push_back(id);
    }

    std::vector<NodeId> steps(std::uint32_t at) const {
        std::vector<NodeId> result(events_.size());
        for (; at != none; at = situations_[at].before)
            if (situations_[at].event != none) result[situations_[at].event] = situations_[at].node;
        return result;
    }

    const model::Net& net_;
    const Relevance& relevance_;
    std::span<const SeenEvent> events_;
    bool ended_;
    std::size_t limit_;
    std::vector<std::uint32_t> channel_of_label_;
    std::vector<std::pair<bool, model::RoleId>> keys_;
    std::vector<Channel> channels_;
    std::vector<Situation> situations_;
    absl::flat_hash_map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> found_;
};

}  // namespace

std::vector<NodeId> steps_of_run(Inference& inference, std::span<const SeenEvent> events, bool ended,
                                 std::size_t limit) {
    return RunSearch(inference, events, ended, limit).run();
}

}  // namespace treaty::track
