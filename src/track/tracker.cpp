#include "track/tracker.h"

#include <algorithm>
#include <array>

namespace treaty::track {

using model::LabelId;
using model::Transition;

namespace {

bool uses_data(const model::Net& net) {
    return std::any_of(net.transitions().begin(), net.transitions().end(), [](const Transition& t) {
        return t.guard || t.where || !t.data.empty() || !t.assignments.empty();
    });
}

// Whether what may come next depends on data: a guard, or a silent step that computes something and may fail
// to.
bool prospects_use_data(const model::Net& net) {
    return std::any_of(net.transitions().begin(), net.transitions().end(),
                       [](const Transition& t) { return t.guard || (t.silent() && !t.assignments.empty()); });
}

// One list of numbers for a set without data; the order of configurations does not count.
std::vector<std::uint32_t> key_of(std::vector<Configuration>& set) {
    auto less = [](const Configuration& a, const Configuration& b) {
        if (a.marking != b.marking) return a.marking < b.marking;
        return std::lexicographical_compare(
            a.pending.begin(), a.pending.end(), b.pending.begin(), b.pending.end(),
            [](const Pending& x, const Pending& y) { return x.label < y.label; });
    };
    std::sort(set.begin(), set.end(), less);
    std::vector<std::uint32_t> key;
    for (const Configuration& c : set) {
        key.push_back(static_cast<std::uint32_t>(c.marking.size()));
        key.insert(key.end(), c.marking.begin(), c.marking.end());
        key.push_back(static_cast<std::uint32_t>(c.pending.size()));
        for (const Pending& p : c.pending) key.push_back(p.label.index);
    }
    return key;
}

}  // namespace

TrackedNet::TrackedNet(const model::Net& net, model::RoleId subject, const TrackOptions& options)
    : inference_(net, subject, options),
      lean_(inference_),
      has_data_(uses_data(net)),
      data_free_prospects_(!prospects_use_data(net)),
      labels_(net.alphabet().label_count()) {}

TrackedNet::Answers& TrackedNet::lean_answers(LeanSteps::MarkingId marking) {
    if (lean_answers_.size() <= marking) lean_answers_.resize(lean_.size());
    return lean_answers_[marking];
}

// Nets with many parallel parts have more sets than can be remembered, and rarely reach one again. So where a
// set is cheap to compute, each one that is remembered must have been paid for by steps that found theirs.
bool TrackedNet::room() const {
    if (sets_.size() >= remembered_limit) return false;
    return inference_.options().asynchronous || sets_.size() < 1024 + steps_ / 16;
}

TrackedNet::SetId TrackedNet::intern(std::vector<Configuration> set) {
    auto key = key_of(set);
    auto known = ids_.find(key);
    if (known != ids_.end()) return known->second;
    if (!room()) return unknown;
    auto id = static_cast<SetId>(sets_.size());
    ids_.emplace(std::move(key), id);
    sets_.push_back(std::move(set));
    next_.resize(next_.size() + labels_, unknown);
    answers_.emplace_back();
    return id;
}

std::uint32_t TrackedNet::step(SetId from, LabelId label) {
    if (!room()) return unknown;
    EventResult result = inference_.observe(sets_[from], label, nullptr);
    std::uint32_t to = result.verdict == EventVerdict::lost      ? lost
                       : result.verdict == EventVerdict::refused ? refused
                                                                 : intern(std::move(result.after));
    next_[from * labels_ + label.index] = to;
    return to;
}

std::vector<InputChoice> TrackedNet::allowed_inputs(const std::vector<Configuration>& set) {
    std::vector<InputChoice> result;
    if (set.empty()) return result;
    Relevance& relevance = inference_.relevance();
    std::vector<std::vector<EnabledTransition>>
        enabled_now;  // by configuration: asked once, used for every label
    enabled_now.reserve(set.size());
    for (const Configuration& c : set) enabled_now.push_back(inference_.next(c));
    bool async = inference_.options().asynchronous;
    std::vector<std::optional<Inference::Listening>> listening(set.size());
    auto label_of = [&](const EnabledTransition& enabled) {
        return net().transitions()[enabled.transition.index].label;
    };
    for (std::size_t l = 1; l < labels_; ++l) {
        LabelId label(l);
        if (relevance.of_label(label).empty() || !relevance.input(label)) continue;
        InputChoice choice{label, true, true, {}, {}};
        bool possible = true;
        for (std::size_t i = 0; i < set.size() && possible; ++i) {
            const Configuration& c = set[i];
            bool now = c.pending.empty() && std::any_of(enabled_now[i].begin(), enabled_now[i].end(),
                                                        [&](const EnabledTransition& enabled) {
                                                            return label_of(enabled) == label;
                                                        });
            if (now && async) {
                if (!listening[i]) listening[i] = inference_.listening(c);
                bool crossed = listening[i]->only != relevance.peer(label) &&
                               std::any_of(c.marking.begin(), c.marking.end(), [&](std::uint32_t place) {
                                   return relevance.crosses(model::PlaceId(place), label);
                               });
                now = !crossed && listening[i]->kept[label.index];
            }
            if (now) continue;
            choice.immediate = choice.immediate && now;
            Configuration sent = c;
            sent.pending.push_back({label, nullptr});
            possible = async && inference_.explicable(sent, true);
            choice.safe = choice.safe && possible && inference_.safe(c, label);
        }
        if (!possible) continue;
        for (std::size_t i = 0; i < set.size(); ++i) {
            bool first = choice.transitions.empty();
            for (const EnabledTransition& enabled : enabled_now[i]) {
                if (label_of(enabled) != label) continue;
                choice.nodes.push_back(net().transitions()[enabled.transition.index].node);
                if (first) choice.transitions.push_back(enabled);
            }
        }
        if (choice.nodes.empty())
            for (model::TransitionId t : relevance.of_label(label))
                choice.nodes.push_back(net().transitions()[t.index].node);
        std::sort(choice.nodes.begin(), choice.nodes.end());
        choice.nodes.erase(std::unique(choice.nodes.begin(), choice.nodes.end()), choice.nodes.end());
        result.push_back(std::move(choice));
    }
    return result;
}

std::vector<ExpectedOutput> TrackedNet::expected_outputs(const std::vector<Configuration>& set) {
    std::vector<ExpectedOutput> result;
    const Relevance& relevance = inference_.relevance();
    for (const Configuration& c : set)
        for (const EnabledTransition& enabled : inference_.next(c)) {
            const Transition& t = net().transitions()[enabled.transition.index];
            if (!relevance.output(t.label)) continue;
            // On this channel what comes next has come already.
            bool arrived = std::any_of(c.pending.begin(), c.pending.end(), [&](const Pending& p) {
                return relevance.output(p.label) && relevance.peer(p.label) == relevance.peer(t.label);
            });
            if (arrived || !inference_.leaves_outputs_explicable(c, enabled.transition)) continue;
            bool there = std::any_of(result.begin(), result.end(), [&](const ExpectedOutput& e) {
                return e.transition == enabled.transition;
            });
            if (!there) result.push_back({t.label, enabled.transition, t.node});
        }
    std::stable_sort(result.begin(), result.end(), [](const ExpectedOutput& a, const ExpectedOutput& b) {
        return a.transition < b.transition;
    });
    return result;
}

bool TrackedNet::may_end(const std::vector<Configuration>& set) {
    return std::any_of(set.begin(), set.end(), [&](const Configuration& c) { return inference_.may_end(c); });
}

bool TrackedNet::must_output(const std::vector<Configuration>& set) {
    return std::none_of(set.begin(), set.end(),
                        [&](const Configuration& c) { return inference_.explains_silence(c); });
}

Tracker::Tracker(std::shared_ptr<TrackedNet> net) : net_(std::move(net)) {
    reset();
}

void Tracker::reset() {
    lost_ = false;
    set_ = TrackedNet::unknown;
    lean_ = LeanSteps::none;
    if (!net_->has_data()) {
        own_.forget(true);
        if (net_->start_ == TrackedNet::unknown) net_->start_ = net_->intern(net_->inference().start());
        set_ = net_->start_;
    }
    if (set_ == TrackedNet::unknown) keep(net_->inference().start());
}

const std::vector<Configuration>& Tracker::set() const {
    if (set_ != TrackedNet::unknown) return net_->sets_[set_];
    if (!own_->made) own_->set = {{net_->lean_.marking(lean_), environment_, {}}};
    own_->made = true;
    return own_->set;
}

Tracker::Answers& Tracker::answers() {
    if (set_ != TrackedNet::unknown) return net_->answers_[set_];
    return own_->answers;
}

std::span<const Configuration> Tracker::configurations() const {
    return set();
}

// A set of its own, or the single configuration in it.
void Tracker::keep(std::vector<Configuration> now) {
    *own_ = {std::move(now), true, {}};
    lean_ = LeanSteps::none;
    const std::vector<Configuration>& set = own_->set;
    if (!net_->has_data() || set.size() != 1 || !set[0].pending.empty()) return;
    lean_ = net_->lean_.intern(set[0].marking);
    if (lean_ != LeanSteps::none) environment_ = set[0].environment;
}

// Takes the event if exactly one transition does; leaves everything as it is otherwise.
bool Tracker::step_lean(LabelId label, std::span<const expr::Value> values) {
    LeanSteps::Step step = net_->lean_.step(lean_, label);
    if (!step.plain) return false;
    LeanSteps::MarkingId to = LeanSteps::none;
    expr::Environment& tried = net_->tried_;
    expr::Programs& programs = net_->inference().programs();
    for (const LeanSteps::Alternative& one : net_->lean_.alternatives(step)) {
        tried.copy_from(environment_);
        if (!run_data(programs, net_->net().transitions()[one.transition.index], values, tried)) continue;
        if (to != LeanSteps::none) return false;
        to = one.to;
        std::swap(net_->taken_, tried);
    }
    if (to == LeanSteps::none) return false;
    std::swap(environment_, net_->taken_);
    lean_ = to;
    own_.forget(false);
    return true;
}

EventVerdict Tracker::observe(LabelId label, std::span<const expr::Value> values) {
    if (lost_) return EventVerdict::lost;
    if (label.index == 0 || label.index >= net_->labels_) return EventVerdict::refused;
    if (set_ == TrackedNet::unknown) {
        if (lean_ != LeanSteps::none && step_lean(label, values)) return EventVerdict::allowed;
        return step_own(label, values);
    }
    ++net_->steps_;
    std::uint32_t to = net_->next_[set_ * net_->labels_ + label.index];
    if (to == TrackedNet::unknown) to = net_->step(set_, label);
    if (to < TrackedNet::lost) {
        set_ = to;
        return EventVerdict::allowed;
    }
    if (to == TrackedNet::refused) return EventVerdict::refused;
    if (to == TrackedNet::lost) {
        lost_ = true;
        return EventVerdict::lost;
    }
    // No room to remember more sets: go on with one of its own.
    std::vector<Configuration> now = net_->sets_[set_];
    set_ = TrackedNet::unknown;
    keep(std::move(now));
    return step_own(label, values);
}

void Tracker::restore(std::vector<Configuration> now, bool lost) {
    lost_ = lost;
    own_.forget(true);
    lean_ = LeanSteps::none;
    set_ = net_->has_data() ? TrackedNet::unknown : net_->intern(now);
    if (set_ == TrackedNet::unknown) keep(std::move(now));
}

bool Tracker::some_inexplicable() {
    if (possibilities() < 2) return false;
    auto all = configurations();
    return std::any_of(all.begin(), all.end(), [&](const Configuration& c) {
        return !c.pending.empty() && !net_->inference().explicable(c, true);
    });
}

void Tracker::forget_inexplicable() {
    std::vector<Configuration> kept;
    for (const Configuration& c : configurations())
        if (net_->inference().explicable(c, true)) kept.push_back(c);
    if (!kept.empty() && kept.size() < configurations().size()) restore(std::move(kept), lost_);
}

// At the role itself, without data: one configuration, and one transition of the label that can fire without
// silent steps before it. Nothing where it is not that case.
std::optional<EventVerdict> Tracker::step_in_place(LabelId label) {
    Inference& inference = net_->inference();
    if (inference.options().asynchronous || net_->has_data() || own_->set.size() != 1 || !own_->made)
        return std::nullopt;
    Configuration& c = own_->set[0];
    const Transition* only = nullptr;
    for (model::TransitionId id : inference.relevance().of_label(label)) {
        const Relevance::Before& before = inference.relevance().before(id);
        if (!before.silent.empty() || before.conflict) return std::nullopt;
        const Transition& t = net_->net().transitions()[id.index];
        if (!enabled(c.marking, t)) continue;
        if (only) return std::nullopt;
        only = &t;
    }
    if (!only) return EventVerdict::refused;
    fire_in_place(c.marking, *only);
    own_.forget(true);
    return EventVerdict::allowed;
}

EventVerdict Tracker::step_own(LabelId label, std::span<const expr::Value> values) {
    if (auto verdict = step_in_place(label)) return *verdict;
    // A transition without arguments takes any values, so for nets without data none are kept.
    std::shared_ptr<const Values> kept;
    if (net_->has_data()) kept = std::make_shared<const Values>(values.begin(), values.end());
    EventResult result = net_->inference().observe(set(), label, std::move(kept));
    if (result.verdict == EventVerdict::allowed) keep(std::move(result.after));
    lost_ = result.verdict == EventVerdict::lost;
    return result.verdict;
}

bool Tracker::takes(LabelId input, std::span<const expr::Value> values) {
    if (lean_ != LeanSteps::none) {
        LeanSteps::Step step = net_->lean_.step(lean_, input);
        for (const LeanSteps::Alternative& one : net_->lean_.alternatives(step)) {
            net_->tried_.copy_from(environment_);
            if (run_data(net_->inference().programs(), net_->net().transitions()[one.transition.index],
                         values, net_->tried_))
                return true;
        }
    }
    Inference& inference = net_->inference();
    auto kept = std::make_shared<const Values>(values.begin(), values.end());
    for (const Configuration& c : configurations()) {
        EventResult one = inference.observe({c}, input, kept);
        if (one.verdict != EventVerdict::allowed) return false;
    }
    return !configurations().empty();
}

bool Tracker::takes_later(LabelId input) {
    auto all = configurations();
    return std::any_of(all.begin(), all.end(),
                       [&](const Configuration& c) { return net_->inference().takes_later(c, input); });
}

model::NodeId Tracker::step_of(LabelId label, std::span<const expr::Value> values) {
    const std::vector<model::TransitionId>& all = net_->inference().relevance().of_label(label);
    if (all.size() == 1) return net_->net().transitions()[all[0].index].node;
    const Values given(values.begin(), values.end());
    for (model::TransitionId t : all)
        if (may_be(t, given)) return net_->net().transitions()[t.index].node;
    return {};
}

std::vector<model::NodeId> Tracker::steps_of(LabelId label, std::span<const expr::Value> values) {
    std::vector<model::NodeId> steps;
    const Values given(values.begin(), values.end());
    for (model::TransitionId t : net_->inference().relevance().of_label(label))
        if (may_be(t, given)) steps.push_back(net_->net().transitions()[t.index].node);
    return steps;
}

// Whether some configuration can take it next.
bool Tracker::may_be(model::TransitionId transition, const Values& values) {
    return net_->inference().take(set(), std::array{transition}, &values).verdict == EventVerdict::allowed;
}

bool Tracker::beside(LabelId input) {
    const auto& all = set();
    return std::any_of(all.begin(), all.end(),
                       [&](const Configuration& c) { return net_->inference().beside(c, input); });
}

bool Tracker::may_get_nothing_more() {
    const auto& all = set();
    return std::all_of(all.begin(), all.end(),
                       [&](const Configuration& c) { return net_->inference().may_get_nothing_more(c); });
}

bool Tracker::leads_to_no_value(LabelId input, std::span<const expr::Value> values) const {
    Tracker after = *this;
    if (after.observe(input, values) != EventVerdict::allowed) return false;
    const auto& all = after.set();
    return std::any_of(all.begin(), all.end(),
                       [&](const Configuration& c) { return net_->inference().owes_what_has_no_value(c); });
}

const std::vector<InputChoice>& Tracker::allowed_inputs() {
    auto& known = data_free() ? net_->lean_answers(lean_).inputs : answers().inputs;
    if (!known) known = net_->allowed_inputs(set());
    if (data_free())
        for (InputChoice& choice : *known)
            for (EnabledTransition& enabled : choice.transitions) enabled.environment = environment_;
    return *known;
}

const std::vector<ExpectedOutput>& Tracker::expected_outputs() {
    auto& known = data_free() ? net_->lean_answers(lean_).outputs : answers().outputs;
    if (!known) known = net_->expected_outputs(set());
    return *known;
}

std::vector<std::optional<expr::Value>> Tracker::known_fields(const ExpectedOutput& output) const {
    std::vector<std::optional<expr::Value>> fields;
    for (const Configuration& c : set())
        for (const EnabledTransition& enabled : net_->inference().next(c)) {
            if (enabled.transition != output.transition) continue;
            for (const model::Argument& a : net_->net().transitions()[enabled.transition.index].data) {
                auto& field = fields.emplace_back();
                if (!a.value) continue;
                auto value = net_->inference().programs().evaluate(a.value, enabled.environment);
                if (auto* known = std::get_if<expr::Value>(&value)) field = *known;
            }
            return fields;
        }
    return fields;
}

bool Tracker::may_end() {
    auto& known = data_free() ? net_->lean_answers(lean_).may_end : answers().may_end;
    if (!known) known = net_->may_end(set());
    return *known;
}

bool Tracker::must_output() {
    auto& known = data_free() ? net_->lean_answers(lean_).must_output : answers().must_output;
    if (!known) known = net_->must_output(set());
    return *known;
}

Silence Tracker::fall_silent() {
    if (must_output()) return Silence::missing;
    if (lean_ != LeanSteps::none) return Silence::nothing_new;
    std::vector<Configuration> left;
    for (const Configuration& c : set())
        if (net_->inference().explains_silence(c)) left.push_back(c);
    if (left.size() == set().size()) return Silence::nothing_new;
    restore(std::move(left), lost_);
    return Silence::fewer;
}

Tracker Tracker::reconsider(std::shared_ptr<TrackedNet> net, std::span<const Pending> events) {
    Tracker tracker(std::move(net));
    for (const Pending& e : events) {
        std::span<const expr::Value> values;
        if (e.values) values = *e.values;
        if (tracker.observe(e.label, values) != EventVerdict::allowed) break;
    }
    return tracker;
}

}  // namespace treaty::track
