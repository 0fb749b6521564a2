// A step appends the event to what is pending in every configuration and then lets the configurations take
// pending events in every order that the channels allow, silent steps only as far as an event needs them.
// What is reached is the new set: it contains each stage between "nothing taken" and "as much as possible",
// which is Tretmans' set. An output must have been taken, unless one on another channel can come first.
#include "track/inference.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace treaty::track {

using model::LabelId;
using model::Transition;
using model::TransitionId;

Inference::Inference(const model::Net& net, model::RoleId subject, const TrackOptions& options)
    : net_(net), subject_(subject), options_(options), relevance_(net, subject) {
    if (net.pool()) programs_.emplace(*net.pool());
    absl::flat_hash_set<model::RoleId> peers;
    for (const Transition& t : net.transitions())
        if (relevance_.output(t.label)) peers.insert(relevance_.peer(t.label));
    output_channels_ = peers.size();
    find_own_moves();
}

void Inference::find_own_moves() {
    before_output_.resize(net_.places().size());
    own_moves_.resize(net_.transitions().size());
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
            const Transition& t = net_.transitions()[i];
            if (t.silent())
                own_moves_[i] = std::any_of(t.to.begin(), t.to.end(),
                                            [&](model::PlaceId p) { return before_output_[p.index]; });
            if (!own_moves_[i] && !relevance_.output(t.label)) continue;
            for (model::PlaceId p : t.from) {
                grown = grown || !before_output_[p.index];
                before_output_[p.index] = true;
            }
        }
    }
    // Where the role may send something, it is also the role that decides not to.
    for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
        const Transition& t = net_.transitions()[i];
        own_moves_[i] =
            own_moves_[i] || (t.silent() && std::any_of(t.from.begin(), t.from.end(), [&](model::PlaceId p) {
                                  return before_output_[p.index];
                              }));
    }
}

std::vector<Configuration> Inference::start() const {
    return {{initial_marking(net_), {}, {}}};
}

void Inference::take_lazily(const Configuration& c, TransitionId id, const Values* values, const Emit& emit) {
    const Transition& t = net_.transitions()[id.index];
    const Relevance::Before& way = relevance_.before(id);
    auto take = [&](const Marking& marking, const expr::Environment& environment) {
        Configuration next{{}, environment, c.pending};
        if (!data(t, values, next.environment)) return;
        next.marking = fired(marking, t);
        emit(std::move(next));
    };
    bool here = enabled(c.marking, t);
    if (here && !way.conflict) return take(c.marking, c.environment);
    if (way.silent.empty()) {
        if (here) take(c.marking, c.environment);
        return;
    }
    ConfigurationSet seen;
    seen.add({c.marking, c.environment, {}});
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen.exceeds(options_.search_limit)) {
            lost_ = true;
            return;
        }
        if (enabled(seen[i].marking, t)) {
            take(seen[i].marking, seen[i].environment);
            if (!way.conflict) continue;
        }
        for (TransitionId s : way.silent) {
            const Transition& step = net_.transitions()[s.index];
            if (!enabled(seen[i].marking, step)) continue;
            Configuration next{{}, seen[i].environment, {}};
            if (!data(step, nullptr, next.environment)) continue;
            next.marking = fired(seen[i].marking, step);
            seen.add(std::move(next));
        }
    }
}

void Inference::take_label(const Configuration& c, LabelId label, const Values* values, const Emit& emit) {
    for (TransitionId t : relevance_.of_label(label)) take_lazily(c, t, values, emit);
}

bool Inference::shortcut_sound(const Configuration& c, LabelId input) {
    if (!options_.shortcut || !c.pending.empty()) return false;
    bool crossed = std::any_of(c.marking.begin(), c.marking.end(), [&](std::uint32_t place) {
        return relevance_.crosses(model::PlaceId(place), input);
    });
    if (!crossed) return true;
    // Conditions may leave the role nothing else to do than to take it.
    if (!net_.pool()) return false;
    Listening next = listening(c);
    return next.only == relevance_.peer(input) && next.kept[input.index];
}

// The first of its channel; an input also after every output that arrived before it was sent.
bool Inference::may_take(const std::vector<Pending>& pending, std::size_t position) const {
    LabelId label = pending[position].label;
    bool input = relevance_.input(label);
    for (std::size_t i = 0; i < position; ++i) {
        bool earlier_input = relevance_.input(pending[i].label);
        if (input && !earlier_input) return false;
        if (input == earlier_input && relevance_.peer(pending[i].label) == relevance_.peer(label))
            return false;
    }
    return true;
}

void Inference::close(std::vector<Configuration> seeds, ConfigurationSet& result) {
    std::size_t done = result.size();
    for (Configuration& c : seeds) result.add(std::move(c));
    for (std::size_t i = done; i < result.size(); ++i) {
        if (result.exceeds(options_.limit)) {
            lost_ = true;
            return;
        }
        for (std::size_t k = 0; k < result[i].pending.size(); ++k) {
            if (!may_take(result[i].pending, k)) continue;
            Configuration without = result[i];
            Pending event = without.pending[k];
            without.pending.erase(without.pending.begin() + static_cast<std::ptrdiff_t>(k));
            take_label(without, event.label, event.values.get(),
                       [&](Configuration next) { result.add(std::move(next)); });
        }
    }
}

ConfigurationSet Inference::observe_asynchronously(const std::vector<Configuration>& set,
                                                   const Pending& event) {
    bool input = relevance_.input(event.label);
    bool possible = false;  // some configuration can take it, now or later
    ConfigurationSet closed;
    std::vector<Configuration> seeds, stuck;
    for (const Configuration& c : set) {
        bool sound = input && shortcut_sound(c, event.label), taken = false;
        if (sound)
            take_label(c, event.label, event.values.get(), [&](Configuration next) {
                taken = possible = true;
                closed.add(std::move(next));
            });
        if (taken) continue;
        Configuration next = c;
        next.pending.push_back(event);
        (sound ? stuck : seeds).push_back(std::move(next));
    }
    close(std::move(seeds), closed);
    ConfigurationSet after;
    for (Configuration& c : closed.take()) {
        bool waits = std::any_of(c.pending.begin(), c.pending.end(),
                                 [&](const Pending& p) { return relevance_.output(p.label); });
        if (waits && (output_channels_ < 2 || !overtaken(c))) continue;
        possible = possible || !input || c.pending.empty() || explicable(c, true);
        after.add(std::move(c));
    }
    if (!possible) return {};
    for (Configuration& c : stuck) after.add(std::move(c));
    return after;
}

EventResult Inference::observe(const std::vector<Configuration>& set, LabelId label,
                               std::shared_ptr<const Values> values) {
    lost_ = false;
    ConfigurationSet after;
    if (!options_.asynchronous || !subject_) {
        for (const Configuration& c : set)
            take_label(c, label, values.get(), [&](Configuration next) { after.add(std::move(next)); });
    } else {
        after = observe_asynchronously(set, {label, std::move(values)});
    }
    if (lost_ || after.exceeds(options_.limit)) return {EventVerdict::lost, {}};
    if (after.empty()) return {EventVerdict::refused, {}};
    return {EventVerdict::allowed, after.take()};
}

EventResult Inference::take(const std::vector<Configuration>& set, std::span<const TransitionId> transitions,
                            const Values* values) {
    lost_ = false;
    ConfigurationSet after;
    for (const Configuration& c : set)
        for (TransitionId t : transitions)
            take_lazily(c, t, values, [&](Configuration next) { after.add(std::move(next)); });
    if (lost_ || after.exceeds(options_.limit)) return {EventVerdict::lost, {}};
    if (after.empty()) return {EventVerdict::refused, {}};
    return {EventVerdict::allowed, after.take()};
}

// Those that silent steps might lead to here, data left aside; by marking, so they are found once.
const std::vector<TransitionId>& Inference::candidates(const Marking& marking) {
    auto known = candidates_.find(marking);
    if (known != candidates_.end()) return known->second;
    constexpr std::size_t limit = 100'000;
    if (candidates_.size() >= limit) candidates_.clear();
    std::vector<TransitionId> found;
    for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
        const Transition& t = net_.transitions()[i];
        if (t.silent()) continue;
        const std::vector<TransitionId>& silent = relevance_.before(TransitionId(i)).silent;
        bool near = enabled(marking, t) || std::any_of(silent.begin(), silent.end(), [&](TransitionId s) {
                        return enabled(marking, net_.transitions()[s.index]);
                    });
        if (near) found.push_back(TransitionId(i));
    }
    return candidates_.emplace(marking, std::move(found)).first->second;
}

std::vector<EnabledTransition> Inference::next(const Configuration& configuration, bool* gave_up) {
    std::vector<EnabledTransition> result;
    for (TransitionId id : candidates(configuration.marking)) {
        const Transition& t = net_.transitions()[id.index];
        // The guard alone decides here, not the event's data.
        const Relevance::Before& way = relevance_.before(id);
        auto offer = [&](const expr::Environment& environment) {
            if (guard_holds(t, environment)) result.push_back({id, environment});
        };
        if (!way.conflict && enabled(configuration.marking, t)) {
            offer(configuration.environment);
            continue;
        }
        ConfigurationSet seen;
        seen.add({configuration.marking, configuration.environment, {}});
        for (std::size_t k = 0; k < seen.size(); ++k) {
            if (seen.exceeds(options_.search_limit)) {
                if (gave_up) *gave_up = true;
                break;
            }
            if (enabled(seen[k].marking, t)) {
                offer(seen[k].environment);
                if (!way.conflict) break;
            }
            for (TransitionId s : way.silent) {
                const Transition& step = net_.transitions()[s.index];
                if (!enabled(seen[k].marking, step)) continue;
                Configuration after{{}, seen[k].environment, {}};
                if (!data(step, nullptr, after.environment)) continue;
                after.marking = fired(seen[k].marking, step);
                seen.add(std::move(after));
            }
        }
    }
    return result;
}

}  // namespace treaty::track
