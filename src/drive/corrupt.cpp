// The part of a conversation that damages the bytes of a message, and judges what becomes of it.
//
// What is sent is never a message: bytes that the wire still reads as one are not used. The component may
// refuse them, ignore them or close the connection, as SessionOptions::corrupt_means allows; it must not
// answer as if the message were right, crash, or hang. If the damage leaves it clear where the message ends,
// the conversation goes on as if nothing had been sent, and is judged as usual. If not, it is not known
// where the next message would begin: the tester closes its side, and the component must give up.
#include <algorithm>

#include <fmt/format.h>

#include "base/hex.h"
#include "drive/conversation.h"
#include "drive/explain.h"
#include "process/component.h"

namespace treaty::drive {

using model::EventKind;
using model::LabelId;
using model::MessageId;
using wire::Corruption;
using wire::Damage;

namespace {

constexpr auto pause_between_pieces = std::chrono::milliseconds(1);

// What is sent instead of a message; the others are right, or begin with a message that is.
bool is_sent(Damage damage) {
    return damage == Damage::checksum || damage == Damage::length || damage == Damage::tag ||
           damage == Damage::truncated || damage == Damage::flipped;
}

// What the message has, as the rest of a sentence.
std::string_view phrase_of(Damage damage) {
    switch (damage) {
        case Damage::checksum: return "with a wrong checksum";
        case Damage::length: return "with a wrong length";
        case Damage::tag: return "with a wrong tag";
        case Damage::truncated: return "with its end cut off";
        case Damage::flipped: return "with a flipped bit";
        default: return "in pieces";
    }
}

const Corruption* find(const std::vector<Corruption>& all, const SentCorrupted& wanted) {
    auto is_it = [&](const Corruption& c) { return c.damage == wanted.damage && c.number == wanted.number; };
    auto found = std::find_if(all.begin(), all.end(), is_it);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

// A message that the component may get now, if there is one, with damage that can be done to it: first the
// kind is drawn, then the place. Some are right, but come in pieces.
std::optional<Exchange> Conversation::corrupted(solve::Choices& choices) {
    std::vector<PossibleInput> inputs = possible_inputs();
    while (!inputs.empty()) {
        PossibleInput c = draw_one(inputs, choices);
        const model::Event& e = part_.event(c.label);
        auto values =
            part_.maker->make(c.transition, c.environment, choices, roles::MessageMaker::Data::searching);
        std::string bytes;
        if (!values || wire::Encoder(*part_.codec).encode(e.message.index, *values, bytes)) continue;
        bool whole = connection_of(e.from)->transport().whole_messages();
        std::vector<Corruption> usable = wire::corruptions(*part_.codec, bytes, {});
        bool may_send = tracker_.takes(c.label, *values) &&
                        (!peers_ || peers_->may_send(e.from, part_.cut, e.message, *values));
        std::erase_if(usable, [&](const Corruption& one) {
            if (one.damage == Damage::split) return whole || !may_send;
            return !is_sent(one.damage) || wire::reading_of(*part_.codec, one.bytes, whole).is_valid();
        });
        if (usable.empty()) continue;
        std::vector<Damage> kinds;
        for (const Corruption& one : usable)
            if (std::find(kinds.begin(), kinds.end(), one.damage) == kinds.end()) kinds.push_back(one.damage);
        Damage kind = kinds[static_cast<std::size_t>(choices.draw(kinds.size()))];
        std::erase_if(usable, [&](const Corruption& one) { return one.damage != kind; });
        const Corruption& chosen = usable[static_cast<std::size_t>(choices.draw(usable.size()))];
        Exchange exchange{true, e.from, part_.cut, e.message, std::move(*values), {}, received_};
        exchange.wrong = kind != Damage::split;
        exchange.corruption = SentCorrupted{chosen.damage, chosen.number};
        return exchange;
    }
    return std::nullopt;
}

// A message whose bytes are right, one piece after the other.
base::Result<bool> Conversation::send_in_pieces(RoleConnection& connection, Exchange& exchange) {
    std::string bytes;
    if (auto fault = wire::Encoder(*part_.codec).encode(exchange.message.index, exchange.values, bytes))
        return base::Fault{fault->reason};
    std::vector<Corruption> all = wire::corruptions(*part_.codec, bytes, {});
    const Corruption* split = find(all, *exchange.corruption);
    if (!split) return connection.write(exchange.message, exchange.values);
    exchange.corruption->what = split->what;
    exchange.corruption->bytes = bytes;
    if (outcome_.challenge.empty())
        outcome_.challenge = fmt::format("{} {}", part_.name(exchange.message), phrase_of(split->damage));
    std::size_t from = 0;
    for (std::size_t cut : split->cuts) {
        if (!connection.send(std::string_view(bytes).substr(from, cut - from))) return false;
        from = cut;
        stage_.wait({}, stage_.now() + pause_between_pieces);
    }
    return connection.send(std::string_view(bytes).substr(from));
}

void Conversation::send_corrupted(Exchange exchange) {
    RoleConnection* connection = connection_of(exchange.from);
    std::string bytes;
    if (!connection || !part_.input(exchange.from, exchange.message) ||
        !part_.well_formed(exchange.message, exchange.values) ||
        wire::Encoder(*part_.codec).encode(exchange.message.index, exchange.values, bytes))
        return fail(Problem::another_course, "the protocol has no such message to the component");
    // When the message is made smaller, it may have no such place any more, or become right.
    std::vector<Corruption> all = wire::corruptions(*part_.codec, bytes, {});
    const Corruption* damaged = find(all, *exchange.corruption);
    if (!damaged) return fail(Problem::another_course, "the message cannot be damaged in this way");
    auto reading = wire::reading_of(*part_.codec, damaged->bytes, connection->transport().whole_messages());
    if (!is_sent(damaged->damage) || reading.is_valid())
        return fail(Problem::another_course, "the message that was damaged is valid now");
    exchange.awaited = received_;
    exchange.corruption->what = damaged->what;
    exchange.corruption->bytes = damaged->bytes;
    outcome_.challenge = fmt::format("{} {}", part_.name(exchange.message), phrase_of(damaged->damage));
    connection->send(damaged->bytes);
    outcome_.exchanges.push_back(exchange);
    judge_corrupted(exchange, damaged->keeps_frame && !reading.more, reading.more);
}

// Reads until the component has reacted or the time is up. What it may send anyway is taken as
// always.
Conversation::Reaction Conversation::await_reaction(const Exchange& wrong, Clock::duration how_long) {
    std::set<MessageId> usual = usual_answers(*part_.input(wrong.from, wrong.message));
    bool certain = usual.size() == 1 || !part_.rejections.empty();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        usual.erase(part_.event(one.label).message);
    for (MessageId one : part_.rejections) usual.erase(one);
    Time until = stage_.now() + how_long;
    auto any = [](MessageId, std::span<const expr::Value>) { return true; };
    for (;;) {
        for (auto& connection : connections_) {
            RoleConnection::ReadResult got = connection->read({}, any);
            if (got == RoleConnection::ReadResult::fault) {
                connection->skip();
                return Reaction::refused;
            }
            if (got == RoleConnection::ReadResult::nothing) {
                if (connection->ended() && connection->role() == wrong.from) return Reaction::closed;
                continue;
            }
            MessageId message = connection->message();
            std::vector<expr::Value> values = connection->take_values();
            auto label = part_.output(connection->role(), message);
            track::Tracker probe = tracker_;
            if (!part_.rejections.contains(message) && label && part_.well_formed(message, values) &&
                probe.observe_output(*label, values) == track::EventVerdict::allowed) {
                came(*connection, message, std::move(values));
                if (over_) return Reaction::none;
                continue;
            }
            outcome_.exchanges.push_back(
                {false, part_.cut, connection->role(), message, std::move(values), {}, received_});
            if (certain && usual.contains(message)) {
                fail(Problem::accepted,
                     fmt::format("received {} ({}), and answered it with {} as if it were right",
                                 outcome_.challenge, wrong.corruption->what, part_.name(message)));
                return Reaction::none;
            }
            return Reaction::refused;
        }
        if (stage_.now() >= until || options_.deadline.interrupted()) return Reaction::none;
        open_.clear();
        for (auto& connection : connections_)
            if (!connection->ended()) open_.push_back(&connection->transport());
        stage_.wait(open_, until);
        stage_.look();
        if (open_.empty() || stage_.ending().ended) until = stage_.now();
    }
}

void Conversation::judge_corrupted(const Exchange& wrong, bool keeps_frame, bool incomplete) {
    const CorruptMeans& means = options_.corrupt_means;
    const std::string sent = fmt::format("{} ({})", outcome_.challenge, wrong.corruption->what);
    Clock::duration moment = 3 * options_.quiet;
    // Only what is still recognised as a message can be expected to be answered.
    bool must_react = keeps_frame && !means.ignored;
    // Where an answer would decide, it gets the time to come.
    Clock::duration patience = std::min<Clock::duration>(options_.silence, std::chrono::seconds(1));
    Reaction reaction = await_reaction(wrong, must_react    ? Clock::duration(options_.silence)
                                              : keeps_frame ? patience
                                                            : moment);
    auto look_for_crash = [&](bool closed) {
        if (over_ || see_crash(closed)) return;
        const Ending& ending = stage_.ending();
        std::string said = process::broken_message(stage_.errors());
        if (ending.ended && !ending.by_us && ending.status != 0)
            fail(Problem::crashed, fmt::format("received {}, and exited with status {}{}", sent,
                                               ending.status, said.empty() ? "" : " (" + said + ")"));
        else if (!said.empty())
            fail(Problem::crashed,
                 fmt::format("received {}, and wrote to its standard error: {}", sent, said));
    };
    look_for_crash(reaction == Reaction::closed);
    if (over_) return;
    if (reaction == Reaction::none && stage_.ending().ended) reaction = Reaction::closed;
    if (!incomplete && reaction == Reaction::refused && !means.refused)
        return fail(Problem::unexpected_message,
                    fmt::format("received {}, and answered; --corrupt-means does not allow that", sent));
    if (!incomplete && reaction == Reaction::closed && !means.closed)
        return fail(
            Problem::closed_early,
            fmt::format("received {}, and closed the connection; --corrupt-means does not allow that", sent));
    if (must_react && reaction == Reaction::none)
        return fail(Problem::silence,
                    fmt::format("received {}, and did nothing for {}; --corrupt-means requires {}", sent,
                                print_duration(options_.silence),
                                means.refused && means.closed ? "a refusal or the end of the connection"
                                : means.refused               ? "a refusal"
                                                              : "the end of the connection"));
    if (reaction == Reaction::closed) {
        over_ = true;
        return;
    }
    corrupted_ = keeps_frame;
    refusal_due_ = keeps_frame && means.refused && reaction == Reaction::none;
    if (keeps_frame) return;  // the conversation goes on
    RoleConnection* connection = connection_of(wrong.from);
    connection->transport().finish();
    bool can_end = connection->transport().has_end();
    Time until = stage_.now() + (can_end ? Clock::duration(options_.silence) : moment);
    while (!over_ && reaction != Reaction::closed && stage_.now() < until && !stopped() &&
           !stage_.ending().ended)
        reaction = await_reaction(wrong, until - stage_.now());
    if (over_) return;
    stage_.look();
    look_for_crash(reaction == Reaction::closed);
    if (!over_ && can_end && reaction != Reaction::closed && !stage_.ending().ended)
        return fail(Problem::hung,
                    fmt::format("received {} and then the end of its input, and did not close the connection "
                                "within {}",
                                sent, print_duration(options_.silence)));
    over_ = true;
}

// A refusal may come late, when the conversation has gone on.
bool Conversation::take_late_refusal(const RoleConnection& connection, MessageId message,
                                     const std::vector<expr::Value>& values) {
    auto label = part_.output(connection.role(), message);
    track::Tracker probe = tracker_;
    bool allowed = label && part_.well_formed(message, values) &&
                   probe.observe_output(*label, values) == track::EventVerdict::allowed;
    bool refusal = part_.rejections.empty() ? !allowed : part_.rejections.contains(message);
    if (!refusal || allowed) return false;
    refusal_due_ = false;
    outcome_.exchanges.push_back({false, part_.cut, connection.role(), message, values, {}, received_});
    return true;
}

// What happens later in the conversation happens after the damaged message, which may be its cause. A
// component that closes the connection late has closed it.
void Conversation::judge_after_corruption() {
    if (verdict_of(outcome_.problem) != Verdict::fail) return;
    if (outcome_.problem == Problem::closed_early && options_.corrupt_means.closed) {
        outcome_.problem = Problem::none;
        outcome_.reason.clear();
        outcome_.expected.clear();
        return;
    }
    std::string what;
    for (const Exchange& e : outcome_.exchanges)
        if (e.wrong && e.corruption) what = e.corruption->what;
    outcome_.reason = fmt::format("after {} ({}): {}", outcome_.challenge, what, outcome_.reason);
}

}  // namespace treaty::drive
