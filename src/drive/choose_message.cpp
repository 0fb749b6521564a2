// The part of a conversation that decides what is sent: which message, by which of its steps, with which
// data.
#include <algorithm>

#include <fmt/format.h>

#include "drive/conversation.h"

namespace treaty::drive {

using model::LabelId;
using model::MessageId;
using model::NodeId;

// A message that may be sent, and where its data comes from.
struct Conversation::Input {
    LabelId label;                   // of the component's net; none: it goes to another role
    NodeId node;                     // the step it is
    model::TransitionId transition;  // of the component's net; none if it goes to another role
    const expr::Environment* environment = nullptr;
    const roles::Peers::Send* send = nullptr;  // none: it is not known what the roles may send

    MessageId message(const roles::RolePart& part) const {
        return send ? send->event.message : part.event(label).message;
    }
};

// One of them, by its position, and its data if that was made in order to choose it.
struct Conversation::Chosen {
    std::size_t at = 0;
    std::optional<std::vector<expr::Value>> values;
};

// What the component can take, whatever is on its way, and its sender may send.
void Conversation::to_component(std::vector<Input>& inputs, const std::vector<roles::Peers::Send>& sends,
                                Which which) {
    std::vector<LabelId> known;
    for (const track::InputChoice& one : tracker_.allowed_inputs()) {
        if (one.safe) known.push_back(one.label);
        // What may cross an answer on its way is a race that the component need not win.
        const model::Event& e = part_.event(one.label);
        if (!one.safe || !connection_of(e.from)) continue;
        if (which == Which::immediate && !one.immediate) continue;
        if (which == Which::beside && !tracker_.beside(one.label)) continue;
        if (which == Which::interrupting && (one.immediate || one.transitions.empty())) continue;
        if (!wanted(e)) continue;
        if (!peers_)
            for (const track::EnabledTransition& enabled : one.transitions)
                inputs.push_back({one.label, part_.net.transitions()[enabled.transition.index].node,
                                  enabled.transition, &enabled.environment, nullptr});
        for (const roles::Peers::Send& send : sends)
            if (send.event.to == e.to && send.event.from == e.from && send.event.message == e.message)
                inputs.push_back({one.label, send.node, step_in_part(one.label, send.node), nullptr, &send});
    }
    if (which != Which::any || tracker_.possibilities() < 2) return;
    // What the component has to take because it cannot know that it is not due.
    for (const roles::Peers::Send& send : sends) {
        auto label =
            send.event.to == part_.cut ? part_.input(send.event.from, send.event.message) : std::nullopt;
        if (!label || std::find(known.begin(), known.end(), *label) != known.end()) continue;
        if (!connection_of(send.event.from) || !wanted(send.event) || !determined().takes(*label)) continue;
        inputs.push_back({*label, send.node, step_in_part(*label, send.node), nullptr, &send});
    }
}

// By the director, or by the profile.
bool Conversation::wanted(const model::Event& e) const {
    return (!director_ || director_->wants(e.from, e.to, e.message)) &&
           (!part_.profile || part_.profile->weight(e.message.index) > 0);
}

// The transition of the component's net that takes this step.
model::TransitionId Conversation::step_in_part(LabelId label, NodeId node) {
    const auto& all = part_.tracked->inference().relevance().of_label(label);
    auto it = std::find_if(all.begin(), all.end(), [&](model::TransitionId t) {
        return part_.net.transitions()[t.index].node == node;
    });
    return it != all.end() ? *it : all.front();
}

// A random message of those that the component can take, with data; false if there is none. On the way to it
// the played roles may exchange messages; late in the session that is enough if it leads to
// the end.
bool Conversation::send_something(solve::Choices& choices, Which which) {
    constexpr int most_between = 200;
    obstacle_ = "there is no message that the component can take in every situation it may be in";
    for (int between = 0; between < most_between; ++between) {
        std::vector<roles::Peers::Send> sends;
        if (peers_) sends = peers_->sends();
        std::vector<Input> inputs;
        to_component(inputs, sends, which);
        for (const roles::Peers::Send& send : sends)
            if (send.event.to != part_.cut &&
                (!director_ || director_->wants(send.event.from, send.event.to, send.event.message)))
                inputs.push_back({{}, send.node, {}, nullptr, &send});
        bool inward = false;
        while (!inputs.empty() && !inward) {
            Chosen chosen = choose(inputs, choices);
            const Input& one = inputs[chosen.at];
            bool done = one.label ? send_input(one, std::move(chosen.values), choices)
                                  : tell(one, std::move(chosen.values), choices);
            if (done && one.label) return true;
            inward = done;
            inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(chosen.at));
        }
        if (!inward) return false;
        if (!director_ && outcome_.exchanges.size() >= options_.length && all_may_end()) return true;
    }
    obstacle_ = "the other roles only exchange messages among themselves";
    return false;
}

// The component must send something, and one of the roles that are played may interrupt it: sometimes one
// does, and then not again before something has come. False if nothing was sent.
bool Conversation::interrupt(solve::Choices& choices) {
    // Each interruption that crosses something adds to the situations that the component may be in.
    constexpr std::size_t most_possibilities = 50;
    if (sends_no_more() || interrupted_after_ == received_ || tracker_.possibilities() > most_possibilities)
        return false;
    const auto& allowed = tracker_.allowed_inputs();
    if (std::none_of(allowed.begin(), allowed.end(), [](const track::InputChoice& one) {
            return one.safe && !one.immediate && !one.transitions.empty();
        }))
        return false;
    const std::vector<track::ExpectedOutput> outputs = tracker_.expected_outputs();
    std::vector<roles::Peers::Send> sends;
    if (peers_) sends = peers_->sends();
    std::vector<Input> inputs;
    to_component(inputs, sends, Which::interrupting);
    // Late in the session what leaves everything owed only makes it longer.
    if (!director_ && outcome_.exchanges.size() >= options_.length)
        std::erase_if(inputs, [&](const Input& one) { return tracker_.beside(one.label); });
    if (inputs.empty() || !wants_to_interrupt(inputs, outputs, choices)) return false;
    while (!inputs.empty()) {
        Chosen chosen = choose(inputs, choices);
        if (send_input(inputs[chosen.at], std::move(chosen.values), choices)) {
            if (outcome_.exchanges.back().to_component) outcome_.exchanges.back().while_due = true;
            interrupted_after_ = received_;
            return true;
        }
        inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(chosen.at));
    }
    return false;
}

// Spread over the session, so that what is interrupted gets on as well. Late in the session whenever that is
// nearer to the end than what the component may send, and now and then otherwise, since distances are rough.
bool Conversation::wants_to_interrupt(const std::vector<Input>& interruptions,
                                      std::span<const track::ExpectedOutput> outputs,
                                      solve::Choices& choices) {
    if (!director_ && outcome_.exchanges.size() >= options_.length) {
        std::uint32_t nearest =
            part_.end_distance.after(interruptions[part_.end_distance.nearest(interruptions)].node);
        auto farther = [&](const track::ExpectedOutput& one) {
            return part_.end_distance.after(one.node) > nearest;
        };
        return std::any_of(outputs.begin(), outputs.end(), farther) || choices.draw(10) == 0;
    }
    if (options_.guided) {
        auto distance = [&](model::NodeId node) { return part_.unseen_distance.of(node); };
        std::uint32_t here = roles::UnseenDistance::nothing_left, there = here;
        for (const Input& one : interruptions) there = std::min(there, distance(one.node));
        for (const track::ExpectedOutput& one : outputs) here = std::min(here, distance(one.node));
        if (there != roles::UnseenDistance::nothing_left && there <= here) return choices.flag(50);
    }
    return choices.draw(std::max<std::size_t>(options_.length / 2, 2)) == 0;
}

// Sends a message between two roles that are played; false if there is no data for it.
bool Conversation::tell(const Input& input, std::optional<std::vector<expr::Value>> values,
                        solve::Choices& choices) {
    const model::Event& e = input.send->event;
    if (!values) {
        auto made = peers_->make(*input.send, {}, choices, roles::MessageMaker::Data::plain);
        if (!made) {
            obstacle_ = fmt::format("{}: {}", part_.name(e.message), made.error());
            return false;
        }
        values = std::move(*made);
    }
    peers_->sent(e.from, e.to, e.message, *values);
    outcome_.inner.emplace_back(outcome_.exchanges.size(),
                                Exchange{false, e.from, e.to, e.message, *values, input.node, received_});
    if (director_) director_->sent(e.from, e.to, e.message);
    credit_taken();
    return true;
}

Conversation::Chosen Conversation::choose(const std::vector<Input>& inputs, solve::Choices& choices) {
    // The distance from the end is rough: where segments wait for each other it may lead round in one of
    // them.
    std::size_t so_far = outcome_.exchanges.size();
    bool late = so_far >= options_.length && (so_far < 2 * options_.length || choices.flag(50));
    if (!director_ && late) return towards_end(inputs, choices);
    if (part_.profile) return {by_profile(inputs, choices), {}};
    if (part_.combinations) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].label && part_.combinations->wants(inputs[i].transition)) open.push_back(i);
        if (!open.empty() && !choices.flag(20)) return {open[choices.draw(open.size())], {}};
    }
    return {options_.guided ? towards_unseen(inputs, choices) : choices.draw(inputs.size()), {}};
}

// The one that leaves the least to be done. Where data decides how a role comes to its end, the data is
// chosen for that, and the steps that it takes because of its data count too.
Conversation::Chosen Conversation::towards_end(const std::vector<Input>& inputs, solve::Choices& choices) {
    Chosen best{part_.end_distance.nearest(inputs), {}};
    auto decides = [&](const Input& one) { return one.send && peers_->end_depends_on_data(*one.send); };
    if (std::none_of(inputs.begin(), inputs.end(), decides)) return best;
    constexpr std::uint32_t none = UINT32_MAX;
    std::uint32_t fewest = none;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Input& one = inputs[i];
        std::uint32_t left = part_.end_distance.after(one.node);
        if (left >= fewest) continue;
        auto made = peers_->make_towards_end(*one.send, fewest - left, choices);
        if (!made || (one.label && !takes(one.label, made->values))) continue;
        fewest = left + made->detour;
        best = {i, std::move(made->values)};
    }
    return best;
}

// A message by its weight, then any of the ways to send it.
std::size_t Conversation::by_profile(const std::vector<Input>& inputs, solve::Choices& choices) {
    std::vector<std::uint32_t> weights;
    weights.reserve(inputs.size());
    for (const Input& one : inputs)
        weights.push_back(std::max(part_.profile->weight(one.message(part_).index), one.label ? 0u : 1u));
    return choices.pick(weights);
}

// Mostly one of those that lead to what was not seen yet by the shortest way; sometimes any.
std::size_t Conversation::towards_unseen(const std::vector<Input>& inputs, solve::Choices& choices) {
    if (choices.flag(20)) return choices.draw(inputs.size());
    std::vector<std::size_t> best;
    std::uint32_t nearest = roles::UnseenDistance::nothing_left;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::uint32_t distance = part_.unseen_distance.of(inputs[i].node);
        if (distance < nearest) best.clear();
        nearest = std::min(nearest, distance);
        if (distance == nearest) best.push_back(i);
    }
    return best[choices.draw(best.size())];
}

bool Conversation::send_input(const Input& one, std::optional<std::vector<expr::Value>> given,
                              solve::Choices& choices) {
    const model::Event& e = part_.event(one.label);
    auto data = part_.profile || part_.combinations ? roles::MessageMaker::Data::plain
                                                    : roles::MessageMaker::Data::searching;
    if (given) {
        send({true, e.from, part_.cut, e.message, std::move(*given), one.node, received_});
        return true;
    }
    for (int tries = 0; tries < 5; ++tries) {
        auto values = one.send ? peers_->make(*one.send, one.transition, choices, data)
                               : part_.maker->make(one.transition, *one.environment, choices, data);
        if (!values) {
            obstacle_ = fmt::format("{}: {}", part_.name(e.message), values.error());
            return false;
        }
        if (!takes(one.label, *values)) continue;
        // Of several, one with a value of a class that was not seen yet.
        if (options_.guided && tries < 2 && !values->empty() && !part_.coverage.adds(e.message, *values))
            continue;
        send({true, e.from, part_.cut, e.message, std::move(*values), one.node, received_});
        return true;
    }
    obstacle_ = fmt::format(
        "{}: the generated data is valid in only some of the situations that the component may be in",
        part_.name(e.message));
    return false;
}

}  // namespace treaty::drive
