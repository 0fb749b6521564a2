// The part of a conversation that sends forbidden messages and judges the reaction.
//
// Any reaction counts as a rejection except two: that the component breaks, and that it answers as it
// does where the message is allowed. The second is reported only if it is certain: of several usual answers
// one may well be a refusal, so unless the user states which messages are (RolePart::rejections), all usual
// answers must be one and the same message.
#include <algorithm>

#include <fmt/format.h>

#include "drive/conversation.h"

namespace treaty::drive {

using model::EventKind;
using model::LabelId;
using model::MessageId;
using std::chrono::milliseconds;

// A message that is not allowed, and why not.
struct Conversation::Wrong {
    Exchange exchange;
    std::string why;
};

SessionResult Conversation::challenge(std::uint64_t seed) {
    if (!start()) return finish();
    if (part_.peers) peers_.emplace(*part_.peers);
    solve::Choices choices(seed);
    std::uint64_t lead = choices.flag(50) ? 0 : choices.draw(options_.length / 2 + 1);
    while (!over_ && outcome_.exchanges.size() < lead) step(choices);
    while (!over_ && tracker_.must_output())
        if (!interrupt(choices) && !over_ && !await_due(choices)) fail_silent();
    if (over_) return finish();
    if (options_.corrupt) {
        if (auto damaged = corrupted(choices)) {
            if (damaged->wrong)
                send_corrupted(std::move(*damaged));
            else
                send(std::move(*damaged));
        }
        while (!over_) step(choices);
        return finish();
    }
    bool forbidden_first = choices.flag(50);
    auto wrong = forbidden_first ? forbidden(choices) : broken(choices);
    if (!wrong) wrong = forbidden_first ? broken(choices) : forbidden(choices);
    if (wrong) {
        outcome_.challenge = wrong->why;
        send_wrong(std::move(wrong->exchange));
    }
    while (!over_) step(choices);
    return finish();
}

// In no possible situation may it come.
bool Conversation::is_wrong(LabelId label, std::span<const expr::Value> values) {
    if (!part_.well_formed(part_.event(label).message, values)) return true;
    track::Tracker probe = tracker_;
    return probe.observe_input(label, values) == track::EventVerdict::refused;
}

// Bytes may be several messages: none of them must be allowed.
bool Conversation::reads_as_allowed(const Exchange& exchange) {
    wire::Encoder encoder(*part_.codec);
    encoder.allow_out_of_range(true);
    std::string bytes;
    if (encoder.encode(exchange.message.index, exchange.values, bytes))
        return true;  // it has no bytes at all
    for (wire::MessageIndex one : messages_with(part_, exchange.from, EventKind::receive)) {
        wire::Decoder decoder(*part_.codec);
        decoder.expect({&one, 1});
        decoder.feed(bytes);
        decoder.finish();
        wire::Decoded decoded;
        if (decoder.next(decoded) != wire::DecodeStatus::message) continue;
        auto label = part_.input(exchange.from, MessageId(one));
        if (label && !is_wrong(*label, decoder.values(decoded))) return true;
    }
    return false;
}

// A message that has no place here.
std::optional<Conversation::Wrong> Conversation::forbidden(solve::Choices& choices) {
    std::vector<model::TransitionId> candidates;
    for (std::size_t i = 0; i < part_.net.transitions().size(); ++i) {
        const model::Event& e = part_.event(part_.net.transitions()[i].label);
        if (e.kind == EventKind::receive && connection_of(e.from)) candidates.emplace_back(i);
    }
    while (!candidates.empty()) {
        auto at = static_cast<std::size_t>(choices.draw(candidates.size()));
        model::TransitionId t = candidates[at];
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(at));
        LabelId label = part_.net.transitions()[t.index].label;
        const model::Event& e = part_.event(label);
        auto values = part_.maker->make_declared(t, choices);
        if (!values || !is_wrong(label, *values)) continue;
        // With other data it might be allowed: then it is not the message that is forbidden.
        const auto& allowed = tracker_.allowed_inputs();
        if (std::any_of(allowed.begin(), allowed.end(), [&](const auto& one) { return one.label == label; }))
            continue;
        Exchange exchange{true, e.from, part_.cut, e.message, std::move(*values), {}, received_, true};
        if (reads_as_allowed(exchange)) continue;
        return Wrong{std::move(exchange), fmt::format("{} where it is not allowed", part_.name(e.message))};
    }
    return std::nullopt;
}

std::vector<Conversation::PossibleInput> Conversation::possible_inputs() {
    std::vector<PossibleInput> inputs;
    for (const track::InputChoice& one : tracker_.allowed_inputs())
        for (const track::EnabledTransition& enabled : one.transitions)
            if (one.safe && connection_of(part_.event(one.label).from))
                inputs.push_back({one.label, enabled.transition, enabled.environment});
    return inputs;
}

Conversation::PossibleInput Conversation::draw_one(std::vector<PossibleInput>& inputs,
                                                   solve::Choices& choices) {
    auto at = inputs.begin() + static_cast<std::ptrdiff_t>(choices.draw(inputs.size()));
    PossibleInput drawn = std::move(*at);
    inputs.erase(at);
    return drawn;
}

// A message that may come, with data that breaks one condition.
std::optional<Conversation::Wrong> Conversation::broken(solve::Choices& choices) {
    std::vector<PossibleInput> inputs = possible_inputs();
    while (!inputs.empty()) {
        PossibleInput c = draw_one(inputs, choices);
        const model::Event& e = part_.event(c.label);
        std::string condition;
        auto values = part_.maker->make_wrong(c.transition, c.environment, choices, condition);
        if (!values || !is_wrong(c.label, *values)) continue;
        Exchange exchange{true, e.from, part_.cut, e.message, std::move(*values), {}, received_, true};
        if (reads_as_allowed(exchange)) continue;
        return Wrong{std::move(exchange),
                     fmt::format("{} with data that violates {}", part_.name(e.message), condition)};
    }
    return std::nullopt;
}

void Conversation::send_wrong(Exchange exchange) {
    if (exchange.corruption) return send_corrupted(std::move(exchange));
    RoleConnection* connection = connection_of(exchange.from);
    auto label = part_.input(exchange.from, exchange.message);
    if (!connection || !label)
        return fail(Problem::no_data, "the protocol has no such message to the component");
    // When it is made smaller it may become right.
    if (!is_wrong(*label, exchange.values) || reads_as_allowed(exchange))
        return fail(Problem::another_course, "the message that was not allowed is allowed now");
    const auto& allowed = tracker_.allowed_inputs();
    bool data =
        std::any_of(allowed.begin(), allowed.end(), [&](const auto& one) { return one.label == *label; });
    if (outcome_.challenge.empty())
        outcome_.challenge =
            fmt::format("{} {}", part_.name(exchange.message),
                        data ? "with data that breaks a condition" : "where it is not allowed");
    exchange.awaited = received_;
    auto written = connection->write(exchange.message, exchange.values, true);
    if (!written)
        return fail(Problem::no_data,
                    fmt::format("cannot encode {}: {}", part_.name(exchange.message), written.error()));
    outcome_.exchanges.push_back(exchange);
    judge_reaction(exchange);
    over_ = true;
}

// The component's answers where this message is allowed, by the net alone.
std::set<MessageId> Conversation::usual_answers(LabelId label) const {
    std::set<MessageId> result;
    std::vector<model::PlaceId> todo;
    std::vector<bool> met(part_.net.places().size(), false);
    auto reach = [&](const model::Transition& t) {
        for (model::PlaceId p : t.to)
            if (!met[p.index]) {
                met[p.index] = true;
                todo.push_back(p);
            }
    };
    for (const model::Transition& t : part_.net.transitions())
        if (t.label == label) reach(t);
    while (!todo.empty()) {
        model::PlaceId at = todo.back();
        todo.pop_back();
        for (model::TransitionId id : part_.net.consumers(at)) {
            const model::Transition& t = part_.net.transitions()[id.index];
            if (t.silent())
                reach(t);
            else if (part_.event(t.label).kind == EventKind::send)
                result.insert(part_.event(t.label).message);
        }
    }
    return result;
}

void Conversation::judge_reaction(const Exchange& wrong) {
    std::set<MessageId> usual = usual_answers(*part_.input(wrong.from, wrong.message));
    bool certain = usual.size() == 1 || !part_.rejections.empty();
    // A message that it might send now anyway is not an answer.
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        usual.erase(part_.event(one.label).message);
    for (MessageId one : part_.rejections) usual.erase(one);
    // A refusal may be silence; where an answer would decide, it gets the time to come.
    auto patience =
        certain && !usual.empty() ? std::min(options_.silence, milliseconds(1000)) : 3 * options_.quiet;
    Time until = stage_.now() + patience;
    auto any = [](MessageId, std::span<const expr::Value>) { return true; };
    for (bool said = false; !over_ && !said;) {
        for (auto& connection : connections_) {
            if (connection->ended()) continue;
            RoleConnection::ReadResult got = connection->read({}, any);
            said = said || got != RoleConnection::ReadResult::nothing || connection->ended();
            if (got != RoleConnection::ReadResult::message) continue;
            MessageId message = connection->message();
            outcome_.exchanges.push_back(
                {false, part_.cut, connection->role(), message, connection->take_values(), {}, received_});
            if (certain && usual.contains(message))
                return fail(Problem::accepted,
                            fmt::format("received {}, and answered it with {} as if it were allowed",
                                        outcome_.challenge, part_.name(message)));
        }
        if (said || stage_.now() >= until || options_.deadline.interrupted()) break;
        open_.clear();
        for (auto& connection : connections_)
            if (!connection->ended()) open_.push_back(&connection->transport());
        if (open_.empty()) break;
        stage_.wait(open_, until);
    }
    // A program that ends with an error has rejected it; one that is killed by it has not. It closes its
    // connections a moment before it is gone.
    bool closed = std::any_of(connections_.begin(), connections_.end(),
                              [](const auto& connection) { return connection->ended(); });
    see_crash(closed);
}

// Whether the component is gone or was killed by a signal, which is reported.
bool Conversation::see_crash(bool closed) {
    look_for_it(closed);
    if (closed) await_its_end();
    if (outcome_.gone.empty()) look_for_it(closed);
    if (!outcome_.gone.empty()) {
        fail(Problem::gone,
             fmt::format(
                 "after {} was sent, the component is gone ({}): it has crashed, or somebody has stopped it",
                 outcome_.challenge, outcome_.gone));
        return true;
    }
    stage_.look();
    const Ending& ending = stage_.ending();
    if (!ending.ended || ending.by_us || ending.signal == 0) return false;
    outcome_.signal = ending.signal;
    fail(Problem::crashed,
         fmt::format("received {}, and was then killed by signal {}", outcome_.challenge, ending.signal));
    return true;
}

}  // namespace treaty::drive
