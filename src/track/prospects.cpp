// What may still follow from a configuration: searches over tokens and pending events; data is ignored, but
// for outputs that arrived already.
//
// The graph of a configuration has an edge for each silent step, each pending event that may be taken, and
// each output on a channel where nothing observed is waiting. A node where nothing is pending is drained.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "expr/cannot_have_value.h"
#include "track/inference.h"

namespace treaty::track {

using model::LabelId;
using model::Transition;
using model::TransitionId;

struct Inference::TokenGraph {
    std::vector<Configuration> nodes;
    std::vector<std::vector<std::uint32_t>> before;  // edges backwards
    std::vector<std::vector<std::uint32_t>> quiet;   // those of them that are not an output that was not seen
    std::vector<std::vector<std::uint32_t>> own;     // what the role may do without any new message
    bool complete = true;

    // The nodes from which these edges, given backwards, lead to one of `targets`.
    std::vector<bool> leading_to(std::vector<bool> targets,
                                 const std::vector<std::vector<std::uint32_t>>& edges) const {
        std::vector<std::uint32_t> work;
        for (std::uint32_t i = 0; i < targets.size(); ++i)
            if (targets[i]) work.push_back(i);
        while (!work.empty()) {
            std::uint32_t at = work.back();
            work.pop_back();
            for (std::uint32_t from : edges[at])
                if (!targets[from]) {
                    targets[from] = true;
                    work.push_back(from);
                }
        }
        return targets;
    }

    // By node: whether the role may get there on its own.
    std::vector<bool> reached_on_its_own() const {
        std::vector<bool> reached(nodes.size());
        std::vector<std::uint32_t> work = {0};
        reached[0] = true;
        while (!work.empty()) {
            std::uint32_t at = work.back();
            work.pop_back();
            for (std::uint32_t next : own[at])
                if (!reached[next]) {
                    reached[next] = true;
                    work.push_back(next);
                }
        }
        return reached;
    }
};

namespace {

constexpr std::size_t prospect_limit = 5000;
constexpr std::size_t remembered_limit = 100'000;

// Nodes by hash: configurations without environments.
class NodeIndex {
public:
    std::pair<std::uint32_t, bool> add(std::vector<Configuration>& nodes, Configuration c) {
        std::uint64_t h = hash_tokens(c.marking, c.pending);
        auto [it, end] = std::pair(heads_.find(h), heads_.end());
        if (it != end)
            for (std::uint32_t i = it->second; i != none; i = chain_[i])
                if (nodes[i].marking == c.marking && nodes[i].pending == c.pending) return {i, false};
        auto id = static_cast<std::uint32_t>(nodes.size());
        chain_.push_back(it == end ? none : it->second);
        heads_[h] = id;
        nodes.push_back(std::move(c));
        return {id, true};
    }

private:
    static constexpr std::uint32_t none = ~0u;
    absl::flat_hash_map<std::uint64_t, std::uint32_t> heads_;
    std::vector<std::uint32_t> chain_;
};

}  // namespace

Inference::TokenGraph Inference::token_graph(const Configuration& c) {
    TokenGraph graph;
    NodeIndex index;
    auto add = [&](Configuration node) {
        auto [id, added] = index.add(graph.nodes, std::move(node));
        if (added) {
            graph.before.emplace_back();
            graph.quiet.emplace_back();
            graph.own.emplace_back();
        }
        return id;
    };
    auto reach = [&](Configuration next, std::uint32_t from, bool own, bool quiet) {
        std::uint32_t id = add(std::move(next));
        graph.before[id].push_back(from);
        if (quiet) graph.quiet[id].push_back(from);
        if (own) graph.own[from].push_back(id);
    };
    add({c.marking, {}, c.pending});
    std::size_t limit = std::min(prospect_limit, options_.search_limit);
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes.size() > limit) {
            graph.complete = false;
            break;
        }
        for (std::size_t k = 0; k < net_.transitions().size(); ++k) {
            const Transition& t = net_.transitions()[k];
            if (!enabled(graph.nodes[i].marking, t)) continue;
            Configuration next{fired(graph.nodes[i].marking, t), {}, graph.nodes[i].pending};
            if (t.silent()) {
                reach(std::move(next), i, own_moves_[k], true);
                continue;
            }
            bool channel_waits = false;
            for (std::size_t j = 0; j < next.pending.size(); ++j) {
                LabelId p = next.pending[j].label;
                if (relevance_.output(p) == relevance_.output(t.label) &&
                    relevance_.peer(p) == relevance_.peer(t.label))
                    channel_waits = true;
                if (p != t.label || !may_take(graph.nodes[i].pending, j)) continue;
                Configuration taken = next;
                taken.pending.erase(taken.pending.begin() + static_cast<std::ptrdiff_t>(j));
                reach(std::move(taken), i, true, true);
                break;
            }
            if (!channel_waits && relevance_.output(t.label)) reach(std::move(next), i, true, false);
        }
    }
    return graph;
}

// An output that was not seen, and after it every pending output: a run that takes the pending ones first is
// another configuration's. Up to that output everything is known; after it, what depends on its values is
// not.
bool Inference::overtaken(const Configuration& c, bool with_data) {
    with_data = with_data && net_.pool();
    ConfigurationSet nodes;
    nodes.add({c.marking, with_data ? c.environment : expr::Environment(), c.pending});
    std::size_t limit = std::min(prospect_limit, options_.search_limit);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes.size() > limit) return true;
        const Configuration here = nodes[i];
        for (const Transition& t : net_.transitions()) {
            if (!enabled(here.marking, t)) continue;
            if (t.silent()) {
                Configuration next{{}, here.environment, here.pending};
                if (with_data && !data(t, nullptr, next.environment)) continue;
                next.marking = fired(here.marking, t);
                nodes.add(std::move(next));
            } else if (relevance_.output(t.label)) {
                auto waits = [&](const Pending& p) {
                    return relevance_.output(p.label) && relevance_.peer(p.label) == relevance_.peer(t.label);
                };
                if (std::any_of(here.pending.begin(), here.pending.end(), waits)) continue;
                Configuration sent{fired(here.marking, t), here.environment, here.pending};
                if (with_data && !guard_holds(t, here.environment)) continue;
                if (!explicable(sent, false)) continue;
                if (!with_data) return true;
                if (may_run_data(*net_.pool(), t, std::nullopt, sent.environment) && outputs_fit(sent))
                    return true;
            } else {
                for (std::size_t j = 0; j < here.pending.size(); ++j) {
                    if (here.pending[j].label != t.label || !may_take(here.pending, j)) continue;
                    Configuration taken{{}, here.environment, here.pending};
                    taken.pending.erase(taken.pending.begin() + static_cast<std::ptrdiff_t>(j));
                    if (with_data && !data(t, here.pending[j].values.get(), taken.environment)) break;
                    taken.marking = fired(here.marking, t);
                    nodes.add(std::move(taken));
                    break;
                }
            }
        }
    }
    return false;
}

// What may follow directly, as far as tokens and what is known of the data allow: a silent step, a pending
// event that is taken, or an output that was not seen on a channel where nothing waits.
void Inference::go_on(const Configuration& here, ConfigurationSet& nodes) {
    auto go = [&](const Transition& t, const Values* values, std::vector<Pending> pending) {
        Configuration next{{}, here.environment, std::move(pending)};
        std::optional<std::span<const expr::Value>> known;
        if (values) known = *values;
        if (net_.pool() && !may_run_data(*net_.pool(), t, known, next.environment)) return;
        next.marking = fired(here.marking, t);
        nodes.add(std::move(next));
    };
    for (const Transition& t : net_.transitions()) {
        if (!enabled(here.marking, t)) continue;
        if (t.silent()) {
            go(t, nullptr, here.pending);
            continue;
        }
        bool channel_waits = false;
        for (std::size_t j = 0; j < here.pending.size(); ++j) {
            LabelId p = here.pending[j].label;
            if (relevance_.output(p) == relevance_.output(t.label) &&
                relevance_.peer(p) == relevance_.peer(t.label))
                channel_waits = true;
            if (p != t.label || !may_take(here.pending, j)) continue;
            std::vector<Pending> rest = here.pending;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
            go(t, here.pending[j].values.get(), std::move(rest));
            break;
        }
        if (!channel_waits && relevance_.output(t.label)) go(t, nullptr, here.pending);
    }
}

// Whether some run takes all pending outputs with the data that they have.
bool Inference::outputs_fit(const Configuration& c) {
    ConfigurationSet nodes;
    nodes.add(c);
    std::size_t limit = std::min(prospect_limit, options_.search_limit);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes.size() > limit) return true;
        const Configuration here = nodes[i];
        if (std::none_of(here.pending.begin(), here.pending.end(),
                         [&](const Pending& p) { return relevance_.output(p.label); }))
            return true;
        go_on(here, nodes);
    }
    return false;
}

// The output is pending with its label alone: no other message on its channel comes before it then, and no
// condition is asked of it.
std::vector<EnabledTransition> Inference::later(const Configuration& c, LabelId output) {
    std::vector<EnabledTransition> result;
    if (!net_.pool()) return result;
    Configuration sent = c;
    sent.pending.push_back({output, nullptr});
    ConfigurationSet nodes;
    nodes.add(std::move(sent));
    std::size_t limit = std::min(prospect_limit, options_.search_limit);
    for (std::size_t i = 0; i < nodes.size() && nodes.size() <= limit; ++i) {
        const Configuration here = nodes[i];
        std::size_t at = here.pending.size();
        while (at > 0 && here.pending[at - 1].label != output) --at;
        if (at == 0) continue;  // it was taken
        for (TransitionId id : relevance_.of_label(output)) {
            if (!may_take(here.pending, at - 1) || !enabled(here.marking, net_.transitions()[id.index]))
                continue;
            auto there = [&](const EnabledTransition& one) {
                return one.transition == id && one.environment == here.environment;
            };
            if (std::none_of(result.begin(), result.end(), there)) result.push_back({id, here.environment});
        }
        go_on(here, nodes);
    }
    return result;
}

bool Inference::explicable(const Configuration& configuration, bool all) {
    return prospect(all ? Question::all_taken : Question::outputs_taken, configuration);
}

bool Inference::leaves_outputs_explicable(const Configuration& c, TransitionId transition) {
    if (std::none_of(c.pending.begin(), c.pending.end(),
                     [&](const Pending& p) { return relevance_.output(p.label); }))
        return true;
    EventResult taken = take({c}, std::span(&transition, 1), nullptr);
    return taken.verdict == EventVerdict::lost ||
           std::any_of(taken.after.begin(), taken.after.end(),
                       [&](const Configuration& after) { return explicable(after, false); });
}

bool Inference::prospect(Question question, const Configuration& c) {
    std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(question)};
    key.insert(key.end(), c.marking.begin(), c.marking.end());
    key.push_back(~0u);
    for (const Pending& p : c.pending) key.push_back(p.label.index);
    auto known = prospects_.find(key);
    if (known != prospects_.end()) return known->second;
    if (prospects_.size() >= remembered_limit) prospects_.clear();
    bool found = find_prospect(question, c);
    prospects_.emplace(std::move(key), found);
    return found;
}

bool Inference::find_prospect(Question question, const Configuration& c) {
    TokenGraph graph = token_graph(c);
    bool always = question == Question::always_drains;
    if (!graph.complete) return !always;
    std::vector<bool> drained(graph.nodes.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
        const std::vector<Pending>& pending = graph.nodes[i].pending;
        drained[i] = std::none_of(pending.begin(), pending.end(), [&](const Pending& p) {
            return question != Question::outputs_taken || relevance_.output(p.label);
        });
    }
    if (!always) return std::find(drained.begin(), drained.end(), true) != drained.end();
    // What came was sent: the role has not gone where it could not have sent it any more.
    std::vector<bool> outputs_drained(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        outputs_drained[i] = std::none_of(graph.nodes[i].pending.begin(), graph.nodes[i].pending.end(),
                                          [&](const Pending& p) { return relevance_.output(p.label); });
    std::vector<bool> possible = graph.leading_to(outputs_drained, graph.before);
    std::vector<bool> reached = graph.reached_on_its_own(), drains = graph.leading_to(drained, graph.before);
    std::vector<bool> drains_quietly = graph.leading_to(drained, graph.quiet);
    for (std::size_t i = 0; i < drains.size(); ++i)
        if (reached[i] && possible[i] && !(may_have_stopped(graph.nodes[i]) ? drains_quietly : drains)[i])
            return false;
    return true;
}

// Whether the role may send something here, and may be finished instead. It still takes what it can take
// without sending anything first.
bool Inference::may_have_stopped(const Configuration& c) const {
    return successful(net_, c.marking) &&
           std::any_of(c.marking.begin(), c.marking.end(),
                       [&](std::uint32_t place) { return before_output_[place]; }) &&
           std::none_of(c.pending.begin(), c.pending.end(),
                        [&](const Pending& p) { return relevance_.output(p.label); });
}

bool Inference::immediate(const Configuration& c, LabelId input) {
    if (!c.pending.empty()) return false;
    for (std::uint32_t place : c.marking)
        if (options_.asynchronous && relevance_.crosses(model::PlaceId(place), input)) return false;
    bool found = false;
    for (const EnabledTransition& enabled : next(c))
        found = found || net_.transitions()[enabled.transition.index].label == input;
    return found;
}

bool Inference::moves_silently(const Configuration& c) const {
    auto can = enabled_in(c.marking);
    return std::any_of(can->silent.begin(), can->silent.end(),
                       [&](TransitionId t) { return own_moves_[t.index]; });
}

std::shared_ptr<const Inference::Enabled> Inference::enabled_in(const Marking& marking) const {
    auto known = enabled_.find(marking);
    if (known != enabled_.end()) return known->second;
    if (enabled_.size() >= remembered_limit) enabled_.clear();
    auto found = std::make_shared<Enabled>();
    for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
        const Transition& t = net_.transitions()[i];
        if (enabled(marking, t)) (t.silent() ? found->silent : found->visible).push_back(TransitionId(i));
    }
    return enabled_.emplace(marking, std::move(found)).first->second;
}

Inference::Listening Inference::listening(const Configuration& c) {
    Listening result;
    result.kept.assign(net_.alphabet().label_count(), false);
    std::vector<Configuration> states = silent_closure(c, Silently::own_moves);
    if (states.size() > prospect_limit) return result;
    bool one_peer = true;
    for (std::size_t i = 0; i < states.size(); ++i) {
        std::vector<bool> here(result.kept.size());
        for (const Configuration& later : silent_closure(states[i]))
            for (auto can = enabled_in(later.marking); TransitionId id : can->visible)
                if (const Transition& t = transition(id); !here[t.label.index])
                    here[t.label.index] = guard_holds(t, later.environment);
        for (std::size_t l = 0; l < here.size(); ++l) {
            if (i == 0 && here[l]) {
                model::RoleId peer = relevance_.peer(LabelId(l));
                one_peer = one_peer && relevance_.input(LabelId(l)) && (!result.only || *result.only == peer);
                result.only = peer;
            }
            result.kept[l] = here[l] && (i == 0 || result.kept[l]);
        }
    }
    if (!one_peer || !c.pending.empty()) result.only.reset();
    return result;
}

bool Inference::safe(const Configuration& c, LabelId input) {
    // A role that can go on silently may leave the place where it takes the input before it arrives.
    if (immediate(c, input) && (!moves_silently(c) || listening(c).kept[input.index])) return true;
    if (!options_.asynchronous) return false;
    Configuration sent = c;
    sent.pending.push_back({input, nullptr});
    return prospect(Question::always_drains, sent);
}

std::vector<Configuration> Inference::silent_closure(const Configuration& c, Silently which) {
    ConfigurationSet seen;
    seen.add({c.marking, c.environment, {}});
    for (std::size_t i = 0; i < seen.size() && seen.size() <= prospect_limit; ++i)
        for (auto can = enabled_in(seen[i].marking); TransitionId id : can->silent) {
            const Transition& t = transition(id);
            if (which == Silently::own_moves && !own_moves_[id.index]) continue;
            Configuration next{{}, seen[i].environment, {}};
            if (!data(t, nullptr, next.environment)) continue;
            next.marking = fired(seen[i].marking, t);
            seen.add(std::move(next));
        }
    return seen.take();
}

bool Inference::takes_later(const Configuration& c, LabelId input) {
    ConfigurationSet seen;
    seen.add({c.marking, {}, {}});
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen.size() > prospect_limit) return true;
        const Marking here = seen[i].marking;
        for (const Transition& t : net_.transitions()) {
            if (!enabled(here, t)) continue;
            if (t.label == input && i > 0) return true;
            bool same_sender =
                relevance_.input(t.label) && relevance_.peer(t.label) == relevance_.peer(input);
            if (!same_sender) seen.add({fired(here, t), {}, {}});
        }
    }
    return false;
}

bool Inference::may_end(const Configuration& c) {
    if (!c.pending.empty()) return false;
    for (const Configuration& s : silent_closure(c))
        if (successful(net_, s.marking)) return true;
    return false;
}

bool Inference::may_get_nothing_more(const Configuration& c) {
    ConfigurationSet nodes;
    nodes.add(c);
    std::size_t limit = std::min(prospect_limit, options_.search_limit);
    for (std::size_t i = 0; i < nodes.size() && nodes.size() <= limit; ++i) {
        const Configuration here = nodes[i];
        if (here.pending.empty() && successful(net_, here.marking)) return true;
        go_on(here, nodes);
    }
    return false;
}

bool Inference::owes_what_has_no_value(const Configuration& c) {
    if (!net_.pool() || !c.pending.empty() || may_end(c)) return false;
    const expr::Pool& pool = *net_.pool();
    // A step of the role, enabled here, that its data rules out for good: none has a value.
    auto impossible = [&](const Transition& t, expr::Environment environment) {
        if (t.where && expr::cannot_hold(pool, t.where, environment)) return true;
        if (std::any_of(t.data.begin(), t.data.end(), [&](const model::Argument& a) {
                return a.value && expr::cannot_have_value(pool, a.value, environment);
            }))
            return true;
        for (const model::Assignment& a : t.assignments) {
            expr::Result value = expr::evaluate(pool, a.value, environment);
            if (std::holds_alternative<expr::Fault>(value))
                return expr::cannot_have_value(pool, a.value, environment);
            environment.set(a.variable, std::get<expr::Value>(std::move(value)));
        }
        return false;
    };
    auto share_a_place = [](const Transition& a, const Transition& b) {
        return std::any_of(a.from.begin(), a.from.end(), [&](model::PlaceId p) {
            return std::find(b.from.begin(), b.from.end(), p) != b.from.end();
        });
    };
    for (const Configuration& s : silent_closure(c)) {
        std::vector<const Transition*> here, ruled_out;
        for (const Transition& t : net_.transitions())
            if (enabled(s.marking, t) && (!t.guard || expr::satisfied(pool, t.guard, s.environment))) {
                bool own = t.silent() || relevance_.output(t.label);
                (own && impossible(t, s.environment) ? ruled_out : here).push_back(&t);
            }
        for (const Transition* t : ruled_out)
            if (std::none_of(here.begin(), here.end(),
                             [&](const Transition* other) { return share_a_place(*t, *other); }))
                return true;
    }
    return false;
}

bool Inference::beside(const Configuration& c, LabelId input) {
    auto disturbs = [](const Transition& t, const Transition& output) {
        return std::any_of(output.from.begin(), output.from.end(), [&](model::PlaceId p) {
            return std::find(t.from.begin(), t.from.end(), p) != t.from.end() ||
                   std::find(t.clears.begin(), t.clears.end(), p) != t.clears.end();
        });
    };
    std::vector<Configuration> states = silent_closure(c);
    if (states.size() > prospect_limit) return false;
    for (const Configuration& s : states)
        for (TransitionId id : relevance_.of_label(input)) {
            const Transition& t = net_.transitions()[id.index];
            if (!enabled(s.marking, t)) continue;
            if (!guard_holds(t, s.environment)) continue;
            if (std::none_of(net_.transitions().begin(), net_.transitions().end(), [&](const Transition& o) {
                    return relevance_.output(o.label) && enabled(s.marking, o) && disturbs(t, o);
                }))
                return true;
        }
    return false;
}

bool Inference::explains_silence(const Configuration& c) {
    bool waits = std::any_of(c.pending.begin(), c.pending.end(),
                             [&](const Pending& p) { return relevance_.output(p.label); });
    return !waits && rests(c);
}

// Whether it can take something that was sent to it, silent steps before it included.
bool Inference::takes_pending(const Configuration& c, const std::vector<Pending>& pending) {
    Configuration here{c.marking, c.environment, pending};
    bool taken = false;
    for (std::size_t k = 0; k < pending.size() && !taken; ++k) {
        if (!may_take(here.pending, k)) continue;
        take_label(here, pending[k].label, pending[k].values.get(), [&](Configuration) { taken = true; });
    }
    return taken;
}

// It may rest where a silent way leads to a place from which silent steps reach neither something that is
// in its queues, nor an output, those apart that compete for a token with something the role may be waiting
// for instead: an input, or a step that needs more tokens than are there (a role that repeats something
// beside another segment may have decided to stop, and wait for the other to end).
bool Inference::rests(const Configuration& c) {
    std::vector<Configuration> states = silent_closure(c);
    if (states.size() > prospect_limit) return true;
    // A finished role owes nothing, even if it may begin another round instead.
    if (c.pending.empty() && std::any_of(states.begin(), states.end(),
                                         [&](const Configuration& s) { return successful(net_, s.marking); }))
        return true;
    auto index = [&](const Configuration& s) {
        return static_cast<std::size_t>(std::find(states.begin(), states.end(), s) - states.begin());
    };
    auto sends = [&](const Configuration& s) {
        std::vector<model::PlaceId> awaited;
        auto can = enabled_in(s.marking);
        for (TransitionId id : can->visible)
            if (const Transition& t = transition(id); relevance_.input(t.label))
                awaited.insert(awaited.end(), t.from.begin(), t.from.end());
        for (TransitionId id : can->visible) {
            const Transition& t = transition(id);
            if (!relevance_.output(t.label)) continue;
            if (!guard_holds(t, s.environment)) continue;
            bool competes = std::any_of(t.from.begin(), t.from.end(), [&](model::PlaceId p) {
                auto consumers = net_.consumers(p);
                return std::find(awaited.begin(), awaited.end(), p) != awaited.end() ||
                       std::any_of(consumers.begin(), consumers.end(), [&](TransitionId u) {
                           return !enabled(s.marking, net_.transitions()[u.index]);
                       });
            });
            if (!competes) return true;
        }
        return false;
    };
    std::vector<bool> active(states.size());
    std::vector<std::vector<std::size_t>> next(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        active[i] = sends(states[i]) || takes_pending(states[i], c.pending);
        for (auto can = enabled_in(states[i].marking); TransitionId id : can->silent) {
            const Transition& t = transition(id);
            Configuration after{{}, states[i].environment, {}};
            if (!data(t, nullptr, after.environment)) continue;
            after.marking = fired(states[i].marking, t);
            std::size_t target = index(after);
            if (target < states.size()) next[i].push_back(target);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < states.size(); ++i)
            for (std::size_t n : next[i])
                if (active[n] && !active[i]) active[i] = changed = true;
    }
    if (c.pending.empty()) return std::find(active.begin(), active.end(), false) != active.end();
    // What was sent to it was not left out: it does not rest where only that would lead.
    std::vector<Configuration> own = silent_closure(c, Silently::own_moves);
    return std::any_of(own.begin(), own.end(), [&](const Configuration& s) { return !active[index(s)]; });
}

}  // namespace treaty::track
