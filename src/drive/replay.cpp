// The part of a conversation that repeats a run: the messages to the component as they were, each when it is
// its turn.
#include <algorithm>

#include <fmt/format.h>

#include "drive/conversation.h"

namespace treaty::drive {

SessionResult Conversation::replay(std::span<const Exchange> exchanges, bool inner, bool adapt) {
    adapts_ = adapt;
    if (!start()) return finish();
    if (inner && part_.peers) peers_.emplace(*part_.peers);
    most_messages_ += exchanges.size();
    for (const Exchange& e : exchanges) {
        if (e.from == part_.cut) continue;
        if (!e.to_component) {
            tell_again(e);
            continue;
        }
        await_turn(e);
        if (over_) return finish();
        Exchange again = e;
        again.node = {};
        again.session = 0;
        if (e.wrong)
            send_wrong(std::move(again));
        else
            send(std::move(again));
        if (over_) return finish();
    }
    while (!over_) listen_or_end();
    return finish();
}

// Sends nothing: takes what comes until the component has nothing left to send.
void Conversation::listen_or_end() {
    if (stopped()) return;
    bool must = tracker_.must_output();
    bool came = listen(must ? patience() : Clock::duration(options_.quiet));
    if (came || over_) return;
    // A run that was made shorter may lack the message that the component waits for.
    if (must && may_wait_for_something()) return give_up_waiting();
    if (must)
        fail_silent();
    else if (!wait_out_silence())
        end_conversation();
}

void Conversation::give_up_waiting() {
    fail(Problem::another_course,
         fmt::format("the run ends, but {} may be waiting for another message", component_name()));
}

void Conversation::await_turn(const Exchange& next) {
    if (next.after_silence)
        while (!over_ && !stopped() && wait_out_silence()) {
        }
    auto label = part_.input(next.from, next.message);
    while (!over_ && waits_for_turn(next) && !stopped()) {
        if (listen(patience()) || over_) continue;
        bool waits_for_it = label && tracker_.beside(*label);
        if (tracker_.must_output() && !waits_for_it) fail_silent();
        return;
    }
}

bool Conversation::waits_for_turn(const Exchange& next) {
    auto label = part_.input(next.from, next.message);
    auto can_take = [&](bool immediately) {
        const auto& inputs = tracker_.allowed_inputs();
        return std::any_of(inputs.begin(), inputs.end(), [&](const track::InputChoice& one) {
            return label && one.label == *label && one.safe &&
                   (immediately ? one.immediate : !one.transitions.empty());
        });
    };
    if (next.awaited == Exchange::when_nothing_is_due)
        return tracker_.must_output() && !(next.while_due && can_take(false));
    if (next.awaited == Exchange::as_soon_as_allowed) return !can_take(true);
    return received_ < next.awaited;
}

// Whether it is allowed here, for the component and for its sender.
bool Conversation::may_be_sent(const Exchange& exchange, model::LabelId label) {
    track::Tracker probe = tracker_;
    return part_.well_formed(exchange.message, exchange.values) &&
           probe.observe_input(label, exchange.values) != track::EventVerdict::refused &&
           (!peers_ || peers_->may_send(exchange.from, exchange.to, exchange.message, exchange.values));
}

// Gives it data that is allowed here: what depends on messages that were left out or changed is made anew.
bool Conversation::adapt(Exchange& exchange, model::LabelId label) {
    std::vector<roles::Peers::Near> found;
    if (peers_) {
        found = peers_->make_near(exchange.from, exchange.to, exchange.message, exchange.values);
    } else {
        for (const track::InputChoice& one : tracker_.allowed_inputs())
            for (const track::EnabledTransition& enabled : one.transitions)
                if (one.label == label)
                    if (auto values =
                            part_.maker->make_near(enabled.transition, exchange.values, enabled.environment))
                        found.push_back(
                            {std::move(*values), part_.net.transitions()[enabled.transition.index].node});
    }
    for (roles::Peers::Near& one : found) {
        Exchange changed = exchange;
        changed.values = std::move(one.values);
        changed.node = one.node;
        if (!may_be_sent(changed, label)) continue;
        exchange = std::move(changed);
        return true;
    }
    return false;
}

// Repeats a message between two roles that the tester plays, if it is still allowed: a run that was made
// shorter may no longer allow it.
void Conversation::tell_again(const Exchange& inner) {
    if (!peers_) return;
    auto may = [&] { return peers_->may_send(inner.from, inner.to, inner.message, inner.values); };
    while (!over_ && !may() && !stopped() && tracker_.must_output() && listen(patience())) {
    }
    if (over_ || !may()) return;
    outcome_.inner.emplace_back(outcome_.exchanges.size(), inner);
    outcome_.inner.back().second.session = 0;
    peers_->sent(inner.from, inner.to, inner.message, inner.values);
    credit_taken();
}

}  // namespace treaty::drive
