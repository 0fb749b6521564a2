// The part of a conversation that follows what happened: what the component can take although it cannot know
// where it is, and which step of the protocol each message was.
#include <algorithm>

#include "drive/conversation.h"
#include "track/steps_of_run.h"

namespace treaty::drive {

namespace {

// Whether computing with it may leave 64 bits: a few operations on smaller numbers do not.
bool is_large(const expr::Value& value) {
    constexpr std::int64_t small = std::int64_t{1} << 20;
    if (const auto* number = std::get_if<std::int64_t>(&value.v)) return *number > small || *number < -small;
    const auto* sequence = std::get_if<expr::Sequence>(&value.v);
    return sequence && std::any_of(sequence->items.begin(), sequence->items.end(), is_large);
}

}  // namespace

// As far as the conversation is now.
track::Determined& Conversation::determined() {
    if (!determined_) determined_.emplace(part_.tracked->inference());
    for (; followed_ < outcome_.exchanges.size(); ++followed_) {
        const Exchange& e = outcome_.exchanges[followed_];
        auto label = e.to_component ? part_.input(e.from, e.message) : part_.output(e.to, e.message);
        if (!e.wrong && label) determined_->observe(*label, e.values);
    }
    return *determined_;
}

// Whether a computation with these values, or with those that are known, may leave 64 bits.
bool Conversation::may_overflow(std::span<const expr::Value> values) const {
    if (std::any_of(values.begin(), values.end(), is_large)) return true;
    const auto situations = tracker_.configurations();
    const std::size_t variables = part_.net.pool() ? part_.net.pool()->variable_count() : 0;
    for (std::size_t i = 0; i < variables && !situations.empty(); ++i) {
        const expr::Value* known = situations.front().environment.get(expr::VarId(i));
        if (known && std::holds_alternative<std::int64_t>(known->v) && is_large(*known)) return true;
    }
    return false;
}

// Whether the component can take it: wherever it may be, or because it cannot know where it is.
bool Conversation::takes(model::LabelId input, std::span<const expr::Value> values) {
    bool taken =
        tracker_.takes(input, values) || (tracker_.possibilities() > 1 && determined().takes(input, values));
    return taken && (!may_overflow(values) || !tracker_.leads_to_no_value(input, values));
}

// Whether it may be one of several steps that were not all seen yet; what comes later may tell which.
bool Conversation::told_later(std::size_t exchange) const {
    if (settled_ || (exchange < steps_.size() && steps_[exchange].size() == 1)) return false;
    const Exchange& e = outcome_.exchanges[exchange];
    auto label = e.to_component ? part_.input(e.from, e.message) : part_.output(e.to, e.message);
    if (!label) return false;
    const auto& steps = part_.tracked->inference().relevance().of_label(*label);
    return steps.size() > 1 && std::any_of(steps.begin(), steps.end(), [&](model::TransitionId t) {
               return !part_.coverage.seen(part_.net.transitions()[t.index].node, e.to_component);
           });
}

// The session is over: each exchange is the step that it is in a run of the component that explains them all.
void Conversation::settle_steps(bool last_is_wrong) {
    std::vector<std::size_t> exchanges;
    std::vector<track::SeenEvent> events;
    bool open = false;
    for (std::size_t i = 0; i + (last_is_wrong ? 1 : 0) < outcome_.exchanges.size(); ++i) {
        const Exchange& e = outcome_.exchanges[i];
        if (e.wrong) continue;
        open = open || told_later(i);
        auto label = e.to_component ? part_.input(e.from, e.message) : part_.output(e.to, e.message);
        if (!label) continue;
        exchanges.push_back(i);
        events.push_back({*label, e.values});
        if (i < steps_.size()) events.back().steps = steps_[i];
    }
    settled_ = true;
    if (!open) return;
    std::vector<model::NodeId> steps =
        track::steps_of_run(part_.tracked->inference(), events, outcome_.ended);
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k]) outcome_.exchanges[exchanges[k]].node = steps[k];
}

// Counts the step of an exchange, once.
void Conversation::credit(std::size_t exchange) {
    credited_.resize(outcome_.exchanges.size());
    const Exchange& e = outcome_.exchanges[exchange];
    if (told_later(exchange)) return;
    if (!credited_[exchange]) part_.coverage.note(e.node, e.to_component);
    credited_[exchange] = true;
}

// The step of a message from the component is the one at which its receiver takes it: if messages overtake
// each other, the component's own position is not known yet when one arrives.
void Conversation::credit_taken() {
    if (!peers_) return;
    for (auto& [exchange, steps] : peers_->taken()) {
        if (!steps.empty()) outcome_.exchanges[exchange].node = steps.front();
        steps_.resize(std::max(steps_.size(), exchange + 1));
        steps_[exchange] = std::move(steps);
        credit(exchange);
    }
}

}  // namespace treaty::drive
