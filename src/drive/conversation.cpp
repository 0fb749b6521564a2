#include "drive/conversation.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "drive/explain.h"

namespace treaty::drive {

using model::MessageId;
using std::chrono::milliseconds;

namespace {

// How long the end of a session is listened to if the component need not close its side: a late message
// comes within this time, and a campaign does not crawl.
constexpr std::chrono::milliseconds patience_with_one_that_lives_on{500};
// How long a program may take, once it was started, to read the first of what was sent to it: an interpreter
// needs seconds on a busy machine.
constexpr std::chrono::milliseconds longest_first_reading{5000};
// How many messages of one connection are taken before the tester decides again what to do: a component that
// sends without pause can still be interrupted.
constexpr int most_taken_at_once = 16;
constexpr const char* too_many_configurations = "more possible configurations than the limit";

// After so many messages the tester sends nothing more.
std::size_t most_before_quiet(const SessionOptions& options) {
    return 10 * options.length + 100;
}

}  // namespace

Conversation::Conversation(roles::RolePart& part, Stage& stage, const SessionOptions& options)
    : part_(part),
      stage_(stage),
      options_(options),
      tracker_(part.tracked),
      most_messages_(2 * most_before_quiet(options)) {}

Conversation::~Conversation() = default;

SessionResult Conversation::run(std::uint64_t seed, Director* director) {
    if (!start()) return finish();
    if (part_.peers) peers_.emplace(*part_.peers);
    director_ = director;
    if (director) director->begin(!peers_);
    solve::Choices choices(seed);
    // A profile states how often each value comes.
    if (part_.profile) choices.lean(solve::Lean::even);
    while (!over_) director ? follow(choices) : step(choices);
    return finish();
}

void Conversation::fail(Problem problem, std::string reason) {
    if (over_) return;
    over_ = true;
    outcome_.problem = problem;
    outcome_.reason = std::move(reason);
}

void Conversation::fail_silent() {
    if (stopped()) return;
    std::string reason =
        fmt::format("{} sent nothing for {}{}", component_name(), print_duration(patience()), expectation());
    // It may have sent the beginning of a message.
    for (auto& connection : connections_)
        if (!connection->ended() && connection->has_rest())
            reason = fmt::format("{} received {}, and nothing more for {}{}", part_.name(connection->role()),
                                 connection->incomplete(), print_duration(patience()), expectation());
    // It may wait for a message from a role that the tester neither plays nor sees.
    if (part_.waits_unseen)
        return fail(Problem::silence_of_others, reason + "; it may be waiting for a role that is not played");
    bool closed = std::all_of(connections_.begin(), connections_.end(),
                              [](const auto& connection) { return connection->ended(); });
    if (closed) see_it_end();
    if (over_) return;
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    if (closed)
        return fail(Problem::closed_early,
                    fmt::format("{} closed its connections{}", component_name(), expectation()));
    if (missing_one())
        return fail(Problem::missing_message,
                    fmt::format("{} never sent {}, but has sent what comes after it", component_name(),
                                names_of(part_, tracker_.expected_outputs())));
    if (patience() == Clock::duration(options_.silence)) reason += "; --silence sets this limit";
    fail(Problem::silence, std::move(reason));
}

// Whether something that came proves that something else was sent before it.
bool Conversation::missing_one() const {
    auto overtook = [&](const track::Pending& p) {
        return part_.event(p.label).kind == model::EventKind::send;
    };
    auto proves = [&](const track::Configuration& c) {
        return std::any_of(c.pending.begin(), c.pending.end(), overtook);
    };
    auto all = tracker_.configurations();
    return std::all_of(all.begin(), all.end(), proves);
}

// If a message may still be on its way: waits until it has come or no longer can. False if there was nothing
// to wait for, so that the situation is the same as before.
bool Conversation::wait_out_silence() {
    track::Tracker silent = tracker_;
    if (silent.fall_silent() != track::Silence::fewer) return false;
    if (listen(patience()) || over_) return true;
    tracker_ = std::move(silent);
    silent_ = true;
    return true;
}

// The user, or the time for all sessions, has ended it.
bool Conversation::stopped() {
    if (!options_.deadline.passed()) return false;
    fail(Problem::interrupted, "stopped before the end of the conversation");
    return true;
}

bool Conversation::start() {
    auto no_start = [&](std::string reason) {
        if (!stopped()) fail(Problem::did_not_start, std::move(reason));
        return false;
    };
    Time began = stage_.now();
    if (auto begun = stage_.begin(); !begun)
        return no_start(fmt::format("cannot start {}: {}", component_name(), begun.error()));
    look_at_component();  // one that is kept may have ended since the last session
    if (over_) return false;
    Time deadline = stage_.now() + options_.startup;
    for (model::RoleId role : part_.played) {
        auto transport = stage_.open(role, deadline);
        // One that served a session before has started; if it has broken since then, that is its fault.
        if (!transport && !stage_.fresh()) look_at_component();
        if (!transport && stage_.reached_before(role)) return fail_gone(role, transport.error());
        if (!transport)
            return no_start(fmt::format("{} cannot connect to {}: {}", part_.name(role), component_name(),
                                        transport.error()));
        connections_.push_back(
            std::make_unique<RoleConnection>(*part_.codec, role, can_come_to(role), std::move(*transport)));
    }
    // What takes long to start takes long to end, on a busy machine above all.
    to_end_ = options_.linger.count() > 0 ? Clock::duration(options_.linger)
                                          : std::clamp<Clock::duration>(stage_.now() - began, options_.quiet,
                                                                        std::chrono::seconds(1));
    at_end_ = options_.linger.count() == 0 && stage_.ends_with_session() ? Clock::duration(options_.silence)
                                                                         : to_end_;
    return true;
}

// What the component may ever send to this role, ascending: by the protocol, or to reject something.
std::vector<wire::MessageIndex> Conversation::can_come_to(model::RoleId role) const {
    std::vector<wire::MessageIndex> all = messages_with(part_, role, model::EventKind::send);
    for (MessageId message : part_.rejections) all.push_back(message.index);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

// A component that Treaty has not started was there in an earlier session and no longer is.
bool Conversation::fail_gone(model::RoleId role, const std::string& sign) {
    if (over_ || stopped()) return false;
    outcome_.gone = sign;
    fail(Problem::gone,
         fmt::format("{} cannot connect to {} any more ({}): it has crashed, or somebody has stopped it",
                     part_.name(role), component_name(), sign));
    return false;
}

// Sends, listens or ends: the choices pick one that is possible.
void Conversation::step(solve::Choices& choices) {
    if (stopped()) return;
    if (tracker_.must_output()) {
        if (send_before_due(choices) || over_ || await_due(choices)) return;
        return fail_silent();
    }
    listen(Clock::duration::zero());  // what is there already
    if (over_ || tracker_.must_output()) return;
    bool enough = outcome_.exchanges.size() >= options_.length;
    if (enough && all_may_end()) return end_conversation();
    // Where it may speak, sometimes let it.
    bool may_speak = !tracker_.expected_outputs().empty();
    if (may_speak ? choices.flag(50) && listen(options_.quiet) : listen_for_the_unexpected()) return;
    if (over_) return;
    bool too_long = sends_no_more();
    if (!too_long && !(all_may_end() && choices.draw(options_.length) == 0) && send_something(choices))
        return;
    if (over_) return;
    if (wait_out_silence() || (may_speak && listen(patience()))) return;
    if (!over_ && too_long) obstacle_ = fmt::format("cut off after {} messages", outcome_.exchanges.size());
    if (!over_) end_conversation();
}

// Nothing may come. If the tester always sent its next message at once, one that comes too early could not be
// told from an answer to that message. So it listens first where the session is at a step for the first time,
// and now and then later: at the 4th, 16th, 64th time and so on.
bool Conversation::listen_for_the_unexpected() {
    model::NodeId after = outcome_.exchanges.empty() ? model::NodeId{} : outcome_.exchanges.back().node;
    std::uint64_t times = ++part_.times_nothing_was_due[after];
    bool power_of_four = std::has_single_bit(times) && std::countr_zero(times) % 2 == 0;
    return power_of_four && listen(options_.quiet);
}

bool Conversation::sends_no_more() const {
    return outcome_.exchanges.size() >= most_before_quiet(options_);
}

// The component must send something. Where parallel segments allow it, more is sometimes sent before that is
// there; and a role that may interrupt sometimes does.
bool Conversation::send_before_due(solve::Choices& choices) {
    const auto& inputs = tracker_.allowed_inputs();
    bool more = outcome_.exchanges.size() < options_.length &&
                std::any_of(inputs.begin(), inputs.end(),
                            [](const track::InputChoice& one) { return one.immediate; });
    if (more && choices.flag(30) && send_something(choices, Which::immediate)) return true;
    return !over_ && interrupt(choices);
}

// The component must send something. It may do its parallel segments one after the other and wait for a
// message in another segment first, so that is sent before its silence counts. False if nothing came and
// nothing is left to send.
bool Conversation::await_due(solve::Choices& choices) {
    if (may_wait_for_something()) {
        if (listen(options_.quiet) || over_) return true;
        if (!sends_no_more() && send_something(choices, Which::beside)) return true;
        if (over_) return true;
    }
    return listen(patience()) || over_;
}

// Whether the component may be waiting for some message that its sender may still send, as far as known. It
// cannot count on one that may never be sent, as in a loop beside that may be over.
bool Conversation::may_wait_for_something() {
    if (tracker_.may_get_nothing_more()) return false;
    std::optional<std::vector<roles::Peers::Send>> sends;  // found when they are asked about
    const auto& inputs = tracker_.allowed_inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](const track::InputChoice& one) {
        const model::Event& e = part_.event(one.label);
        if (!one.safe || !connection_of(e.from) || !tracker_.beside(one.label)) return false;
        if (!peers_) return true;
        if (!sends) sends = peers_->sends();
        return std::any_of(sends->begin(), sends->end(), [&](const roles::Peers::Send& s) {
            return s.event.to != part_.cut || (s.event.from == e.from && s.event.message == e.message);
        });
    });
}

// Sends what the director wants as soon as the component can take it; ends when the director wants nothing
// more.
void Conversation::follow(solve::Choices& choices) {
    if (stopped()) return;
    listen(Clock::duration::zero());
    if (over_) return;
    if (tracker_.must_output()) {
        if (!interrupt(choices) && !over_ && !await_due(choices)) fail_silent();
        return;
    }
    bool may = !tracker_.expected_outputs().empty();
    if (!may && listen_for_the_unexpected()) return;
    if (over_ || send_something(choices) || over_) return;
    may = !tracker_.expected_outputs().empty();
    if (may && (listen(options_.quiet) || over_)) return;
    if (wait_out_silence() || over_) return;
    outcome_.test_passed = director_->succeeded();
    end_conversation();
}

// Reads until something has come or the time is up; true if a message came. The clock is only
// asked when there is something to wait for: asking it costs as much as the work on a message.
bool Conversation::listen(Clock::duration how_long) {
    std::uint32_t before = received_;
    take_all();
    if (how_long.count() > 0 && options_.spin && spin_.worth_it()) {
        // An answer over loopback takes some microseconds, less than going to sleep and being woken.
        for (int i = 0; i < Spin::looks && !over_ && received_ == before; ++i) take_all();
        spin_.learn(received_ != before);
    }
    if (over_ || received_ != before || how_long.count() <= 0) return received_ != before;
    Time now = stage_.now(), until = now + how_long;
    std::size_t unread = 0;
    for (; !over_ && received_ == before; now = stage_.now()) {
        open_.clear();
        for (auto& connection : connections_)
            if (!connection->ended() || connection->transport().pending())
                open_.push_back(&connection->transport());
        // The time counts from when the component has taken all that was sent; it may read slowly, not stop.
        // One that is started and spoken to at once reads when it is ready: until it has read something, it
        // has the time to start.
        if (std::size_t left = unread_by_it(); left != unread) {
            has_read_ = has_read_ || left < unread;
            Clock::duration slow = has_read_ || received_ > 0 || !stage_.fresh()
                                       ? Clock::duration(options_.silence)
                                       : patience_at_start();
            until = now + (left > 0 ? std::max<Clock::duration>(how_long, slow) : how_long);
            unread = left;
        }
        if (now >= until || options_.deadline.passed()) break;
        // Only the component itself is left to wait for.
        if (open_.empty() && (tracker_.must_output() || outcome_.ended)) break;
        answer_open_requests();
        stage_.wait(open_, std::min(until, now + milliseconds(100)));
        take_all();
    }
    return received_ != before;
}

Clock::duration Conversation::patience_at_start() const {
    return std::max<Clock::duration>(
        options_.silence, std::min<std::chrono::milliseconds>(options_.startup, longest_first_reading));
}

std::size_t Conversation::unread_by_it() const {
    std::size_t all = 0;
    for (const Transport* one : open_) all += one->unread();
    return all;
}

void Conversation::take_all() {
    for (auto& connection : connections_)
        if (!over_) take(*connection);
    look_at_component();
}

// Some transports need an answer to each request (HTTP). If the protocol has no message for one that is open,
// it gets an empty answer.
void Conversation::answer_open_requests() {
    for (auto& connection : connections_) {
        if (!connection->transport().owes()) continue;
        auto answers = [&](const track::InputChoice& one) {
            return part_.event(one.label).from == connection->role();
        };
        const auto& inputs = tracker_.allowed_inputs();
        if (std::none_of(inputs.begin(), inputs.end(), answers))
            connection->transport().answer_open_requests();
    }
}

// Reads what has arrived: bytes become messages, which go to the tracker.
void Conversation::take(RoleConnection& connection) {
    if (connection.ended()) return;
    auto may_come = [&](MessageId message, std::span<const expr::Value> values) {
        auto label = part_.output(connection.role(), message);
        track::Tracker probe = tracker_;
        return label && probe.observe_output(*label, values) != track::EventVerdict::refused;
    };
    for (int taken = 0; !over_ && taken < most_taken_at_once; ++taken) {
        switch (connection.read(expected_now(connection.role()), may_come)) {
            case RoleConnection::ReadResult::message:
                came(connection, connection.message(), connection.take_values());
                continue;
            case RoleConnection::ReadResult::fault: return undecodable(connection);
            case RoleConnection::ReadResult::nothing: break;
        }
        if (connection.ended()) connection_ended(connection);
        return;
    }
}

void Conversation::connection_ended(RoleConnection& connection) {
    std::string broken = connection.transport().fault();
    broken_off_ = connection.transport().broken_off();
    if (!broken.empty())
        return fail(Problem::undecodable,
                    fmt::format("{} received bytes that cannot be read: {}{}", part_.name(connection.role()),
                                broken, why_not_allowed()));
    if (!tracker_.must_output()) return;
    // The expected message may come on another connection.
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (const RoleConnection* other = connection_of(part_.event(one.label).to); other && !other->ended())
            return;
    see_it_end();
    if (over_) return;
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    fail(Problem::closed_early, fmt::format("{} closed the connection to {}{}", component_name(),
                                            part_.name(connection.role()), expectation()));
}

// What is expected of the component on this connection now, ascending.
std::span<const wire::MessageIndex> Conversation::expected_now(model::RoleId role) {
    now_.clear();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (const auto& e = part_.event(one.label); e.to == role) now_.push_back(e.message.index);
    std::sort(now_.begin(), now_.end());
    now_.erase(std::unique(now_.begin(), now_.end()), now_.end());
    return now_;
}

void Conversation::undecodable(RoleConnection& connection) {
    broken_off_ = connection.broken_off();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs()) {
        outcome_.expected.push_back(one.node);
        if (part_.event(one.label).to != connection.role()) part_.coverage.note_unread(one.node);
    }
    if (broken_off_)
        return fail(Problem::undecodable, fmt::format("{} received {}, and then {} closed the connection{}",
                                                      part_.name(connection.role()), connection.incomplete(),
                                                      component_name(), why_not_allowed()));
    fail(Problem::undecodable,
         fmt::format("{} received {}, which matches no message (at offset {}: {}){}",
                     part_.name(connection.role()), connection.fault(), connection.fault_offset(),
                     connection.decode_fault().reason, why_not_allowed()));
}

void Conversation::came(RoleConnection& connection, MessageId message, std::vector<expr::Value> values) {
    if (refusal_due_ && take_late_refusal(connection, message, values)) return;
    ++received_;
    silent_ = false;
    auto label = part_.output(connection.role(), message);
    Exchange exchange{false, part_.cut, connection.role(), message, std::move(values), {}, received_ - 1};
    std::size_t steps = 0;  // that it may be
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (label && one.label == *label) {
            ++steps;
            exchange.node = one.node;
        }
    bool foreseen = steps > 0;
    if (steps > 1)
        if (model::NodeId step = tracker_.step_of(*label, exchange.values)) exchange.node = step;
    outcome_.exchanges.push_back(std::move(exchange));
    const Exchange& kept = outcome_.exchanges.back();
    if (!part_.well_formed(message, kept.values))
        return came_wrongly(connection, Problem::wrong_data, declaration_broken_by(part_, kept));
    track::EventVerdict said =
        label ? tracker_.observe_output(*label, kept.values) : track::EventVerdict::refused;
    if (director_) director_->came(connection.role(), message);
    if (said == track::EventVerdict::allowed) {
        note(kept);
        std::size_t index = outcome_.exchanges.size() - 1;
        if (peers_) {
            peers_->came(connection.role(), message, kept.values, index);
            credit_taken();
        } else {
            credit(index);
        }
        if (outcome_.exchanges.size() >= most_messages_) cut_off();
        return;
    }
    if (said == track::EventVerdict::lost) return fail(Problem::lost_track, too_many_configurations);
    // Where no condition on its data is broken, what is wrong is an earlier message that overtook this one
    // and may not come.
    if (label && !kept.values.empty()) {
        auto broken = track::broken_conditions(part_.specification, tracker_, *label, kept.values);
        // If messages on other connections may be before it, it is the later step whose condition it breaks.
        for (const track::BrokenCondition& one : broken)
            if (!foreseen) outcome_.expected.push_back(one.node);
        if (!broken.empty()) {
            outcome_.exchanges.back().node = broken.front().node;
            return came_wrongly(connection, Problem::wrong_data, requirements(part_, broken));
        }
    }
    came_wrongly(connection, Problem::unexpected_message,
                 (foreseen ? " after messages that are not allowed before it" : "") + why_not_allowed());
}

// The last exchange is wrong, for the reason that `rest` of the sentence states; after a refusal the tracker
// stays where it was.
void Conversation::came_wrongly(const RoleConnection& connection, Problem problem, const std::string& rest) {
    bool known = !outcome_.expected.empty();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs()) {
        if (!known) outcome_.expected.push_back(one.node);
        // It may have been sent, on a connection that was not read yet.
        if (part_.event(one.label).to != connection.role()) part_.coverage.note_unread(one.node);
    }
    if (problem == Problem::wrong_data) part_.coverage.note_wrong(outcome_.exchanges.back().node);
    outcome_.explanations = explanations(part_, outcome_.exchanges);
    std::string again;
    outcome_.answers = answered_again(part_, outcome_.exchanges);
    if (outcome_.answers)
        again = fmt::format("; the same came after message {} ({})", *outcome_.answers + 1,
                            part_.name(outcome_.exchanges[*outcome_.answers].message));
    fail(problem, fmt::format("{} received {}{}{}", part_.name(connection.role()),
                              print(part_, outcome_.exchanges.back()), rest, again));
}

void Conversation::send(Exchange exchange) {
    RoleConnection* connection = connection_of(exchange.from);
    auto label = part_.input(exchange.from, exchange.message);
    if (!connection || !label)
        return fail(Problem::no_data, fmt::format("the protocol has no message {} to {}",
                                                  part_.name(exchange.message), component_name()));
    exchange.awaited = received_;
    exchange.after_silence = silent_;
    silent_ = false;
    if (!exchange.node) {  // replaying: it may have no place any more
        for (const track::InputChoice& one : tracker_.allowed_inputs())
            if (one.label == *label && !one.nodes.empty()) exchange.node = one.nodes.front();
        // Of several steps with this message, the one that the data allows.
        std::vector<model::NodeId> steps =
            peers_ ? peers_->steps_of(exchange.from, exchange.to, exchange.message, exchange.values)
                   : tracker_.steps_of(*label, exchange.values);
        if (!steps.empty()) exchange.node = steps.front();
        if (!may_be_sent(exchange, *label) && !(adapts_ && adapt(exchange, *label)))
            return fail(Problem::another_course,
                        fmt::format("{} took another branch, in which {} is not allowed", component_name(),
                                    part_.name(exchange.message)));
    }
    auto taken = exchange.corruption ? send_in_pieces(*connection, exchange)
                                     : connection->write(exchange.message, exchange.values);
    if (!taken)
        return fail(Problem::no_data,
                    fmt::format("cannot encode {}: {}", part_.name(exchange.message), taken.error()));
    // The component works on it already; the bookkeeping follows.
    track::EventVerdict said = tracker_.observe_input(*label, exchange.values);
    if (tracker_.some_inexplicable() && determined().takes(*label, exchange.values))
        tracker_.forget_inexplicable();
    if (director_) director_->sent(exchange.from, exchange.to, exchange.message);
    if (peers_) {
        steps_.resize(outcome_.exchanges.size() + 1);
        steps_.back() = peers_->steps_of(exchange.from, exchange.to, exchange.message, exchange.values);
    }
    if (peers_) peers_->sent(exchange.from, exchange.to, exchange.message, exchange.values);
    MessageId message = exchange.message;
    note(exchange);
    outcome_.exchanges.push_back(std::move(exchange));
    credit(outcome_.exchanges.size() - 1);
    credit_taken();
    if (said == track::EventVerdict::lost) return fail(Problem::lost_track, too_many_configurations);
    if (!*taken) {
        // It may have sent the reason before it closed: that is read first.
        listen(options_.quiet);
        if (!over_) see_it_end();
        if (over_) return;
        for (const track::ExpectedOutput& one : tracker_.expected_outputs())
            outcome_.expected.push_back(one.node);
        fail(Problem::closed_early, fmt::format("{} closed the connection before {} could be sent",
                                                component_name(), part_.name(message)));
    }
}

// The tester closes its side and listens for messages that must not come after the end, until the component
// has closed its side too. A conversation that is cut off is not judged further: the protocol does not define
// what a component does then.
void Conversation::end_conversation() {
    outcome_.ended = tracker_.may_end();
    auto situations = tracker_.configurations();
    bool endless = std::all_of(situations.begin(), situations.end(), [&](const track::Configuration& c) {
        return part_.own_end_distance.endless(c.marking);
    });
    outcome_.completed = outcome_.ended || (endless && outcome_.exchanges.size() >= options_.length);
    if (outcome_.ended) {
        await_reading();
        bool can_end =
            true;  // whether each connection ends by itself, so that there is something to wait for
        for (auto& connection : connections_)
            if (!connection->ended()) {
                connection->transport().finish();
                can_end = can_end && connection->transport().has_end();
            }
        auto all_ended = [&] {
            return std::all_of(connections_.begin(), connections_.end(),
                               [](const auto& connection) { return connection->ended(); });
        };
        // A component that keeps running may keep its side open, and then every session would be waited for.
        auto patience = stage_.ends_with_session() ? options_.silence
                                                   : std::min<std::chrono::milliseconds>(
                                                         options_.silence, patience_with_one_that_lives_on);
        Time until = stage_.now() + (options_.linger.count() > 0 ? std::max(options_.quiet, options_.linger)
                                     : can_end                   ? patience
                                                                 : options_.quiet);
        // If it may still send, it may do so before it sees the end; everything after that is cut off.
        while (!over_ && outcome_.ended && !all_ended() && listen(until - stage_.now()))
            outcome_.ended = tracker_.may_end();
        for (auto& connection : connections_) {
            if (over_ || !outcome_.ended) break;
            if (connection->has_rest()) rest_at_end(*connection);
            if (!over_ && connection->transport().reset_unread()) unread_at_end(*connection);
        }
    }
    if (!outcome_.completed) outcome_.obstacle = obstacle_;
    over_ = true;
}

// The component sends without end.
void Conversation::cut_off() {
    obstacle_ = fmt::format("cut off after {} messages", outcome_.exchanges.size());
    end_conversation();
}

// After the end no byte is allowed, and these are not even a message that could still become one in time.
void Conversation::rest_at_end(const RoleConnection& connection) {
    fail(Problem::undecodable,
         fmt::format("{} received {} after the end of the conversation, which is not a whole message",
                     part_.name(connection.role()), connection.fault()));
}

// A connection that was closed before everything on it had been read is reset. A component that could stop
// before the last message has done nothing wrong, but it has not taken part to the end.
void Conversation::unread_at_end(const RoleConnection& connection) {
    auto last = std::find_if(outcome_.exchanges.rbegin(), outcome_.exchanges.rend(),
                             [](const Exchange& e) { return e.to_component; });
    if (last == outcome_.exchanges.rend() || last->from != connection.role()) return;
    track::Tracker before(part_.tracked);
    for (const Exchange& e : std::span(outcome_.exchanges).first(outcome_.exchanges.rend() - last - 1)) {
        auto label = e.to_component ? part_.input(e.from, e.message) : part_.output(e.to, e.message);
        if (!label || before.observe(*label, e.values) != track::EventVerdict::allowed) return;
    }
    if (!before.may_end())
        return fail(Problem::closed_early,
                    fmt::format("{} closed the connection to {} before it had read {}", component_name(),
                                part_.name(connection.role()), part_.name(last->message)));
    outcome_.completed = false;
    obstacle_ = fmt::format("{} has not read everything that was sent to it", component_name());
}

// What was sent and never read says nothing about the component, so the conversation is complete only when it
// has been read. Afterwards, with the input closed, that can no longer be seen.
void Conversation::await_reading() {
    open_.clear();
    for (auto& connection : connections_)
        if (!connection->ended()) open_.push_back(&connection->transport());
    Time until = stage_.now() + options_.silence;
    Clock::duration pause = std::chrono::microseconds(50);
    for (std::size_t left = unread_by_it(); left > 0 && !over_;) {
        Time now = stage_.now();
        if (now >= until || options_.deadline.passed()) {
            outcome_.completed = false;
            obstacle_ = fmt::format("{} has not read everything that was sent to it", component_name());
            return;
        }
        stage_.wait(open_, std::min(until, now + pause));
        take_all();
        pause = std::min<Clock::duration>(2 * pause, milliseconds(20));
        if (std::size_t still = unread_by_it(); still != left) {
            left = still;
            until = stage_.now() + options_.silence;
        }
    }
}

void Conversation::look_at_component() {
    const Ending& ending = stage_.ending();
    if (over_ || !ending.ended || ending.by_us) return;
    outcome_.signal = ending.signal;
    if (ending.signal != 0)
        return fail(Problem::crashed, fmt::format("{} was killed by signal {}{}", component_name(),
                                                  ending.signal, expectation()));
    if (std::string_view why = process::not_run_message(ending); received_ == 0 && !why.empty())
        return fail(Problem::did_not_start, fmt::format("cannot start {}: {}", component_name(), why));
    if (ending.status != 0) {
        std::string said = process::broken_message(stage_.errors());
        fail(Problem::crashed, fmt::format("{} exited with status {}{}{}", component_name(), ending.status,
                                           said.empty() ? "" : " (" + said + ")", expectation()));
    }
}

// A program that crashes closes its connections a moment before its process ends. Waiting for that end makes
// every crash be reported as one.
void Conversation::see_it_end() {
    look_for_it(true);  // at once: it may be started again from outside
    await_its_end();
    look_at_component();
}

void Conversation::await_its_end() {
    Time until = stage_.now() + to_end_;
    stage_.look();
    while (!stage_.ending().ended && stage_.now() < until && !options_.deadline.interrupted()) {
        Time before = stage_.now();
        stage_.wait({}, until);
        if (stage_.now() == before) break;  // a virtual clock stops while something is unread
    }
}

// Notes the sign that the component is gone, if there is one.
void Conversation::look_for_it(bool closed) {
    if (auto how = stage_.gone(closed)) outcome_.gone = std::move(*how);
}

// A component that Treaty has not started and that is gone may have crashed, or may have been stopped.
// So its silence, or a closed connection, is then no evidence of a fault.
void Conversation::see_whether_gone() {
    bool closed = outcome_.problem == Problem::closed_early || broken_off_;
    if (!closed && outcome_.problem != Problem::silence && outcome_.problem != Problem::missing_message)
        return;
    if (outcome_.gone.empty()) look_for_it(closed);
    if (outcome_.gone.empty()) return;
    outcome_.problem = Problem::gone;
    outcome_.reason = fmt::format("{}; {} is gone ({}): it has crashed, or somebody has stopped it",
                                  outcome_.reason, component_name(), outcome_.gone);
}

// How long the expected message may take: the longest time that a step that could be next allows.
Clock::duration Conversation::patience() {
    std::chrono::nanoseconds longest{0}, silence = options_.silence;
    // One that was just started and speaks first has the time to start, as one that is spoken to has.
    if (stage_.fresh() && received_ == 0 && outcome_.exchanges.empty()) silence = patience_at_start();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs()) {
        std::int64_t within = one.node ? part_.protocol[one.node].within_ns : -1;
        longest = std::max(longest, within < 0 ? silence : std::chrono::nanoseconds(within));
    }
    if (longest.count() == 0) longest = silence;
    return std::chrono::duration_cast<Clock::duration>(longest);
}

// What the component should have done instead, as the rest of a sentence.
std::string Conversation::expectation() {
    std::string names = names_of(part_, tracker_.expected_outputs());
    if (names.empty()) return names;
    return fmt::format("; {} {}", tracker_.must_output() ? "expected" : "allowed here:", names);
}

// The same for a message that the component has sent.
std::string Conversation::why_not_allowed() {
    if (std::string expected = expectation(); !expected.empty()) return expected;
    if (tracker_.may_end()) return ", after the end of the conversation";
    std::uint32_t line = 0;
    for (const Exchange& e : outcome_.exchanges)
        if (e.node) line = part_.line_of(e.node);
    return fmt::format(", but {} must not send anything here{}", component_name(),
                       line > 0 ? fmt::format(" (after line {})", line) : "");
}

std::string_view Conversation::component_name() const {
    return part_.name(part_.cut);
}

void Conversation::note(const Exchange& exchange) {
    outcome_.possibilities = std::max(outcome_.possibilities, tracker_.possibilities());
    if (options_.note_values) part_.coverage.note(exchange.message, exchange.values);
}

bool Conversation::all_may_end() {
    return tracker_.may_end() && (!peers_ || peers_->may_end());
}

RoleConnection* Conversation::connection_of(model::RoleId role) {
    for (auto& connection : connections_)
        if (connection->role() == role) return connection.get();
    return nullptr;
}

SessionResult Conversation::finish() {
    if (corrupted_) judge_after_corruption();
    // What a component writes when its connections are closed is no evidence about what happened before.
    bool judged = outcome_.problem != Problem::none || !outcome_.ended;
    stage_.look();
    outcome_.errors = stage_.errors();
    for (const auto& connection : connections_) {
        outcome_.sent_bytes += connection->sent_bytes();
        outcome_.received_bytes += connection->received_bytes();
    }
    // Messages that no role has taken yet; the last one may be the wrong one.
    bool wrong = outcome_.problem == Problem::unexpected_message || outcome_.problem == Problem::wrong_data;
    settle_steps(wrong);
    for (model::NodeId node : outcome_.expected) part_.coverage.note_due(node);
    for (std::size_t i = 0; i + (wrong ? 1 : 0) < outcome_.exchanges.size(); ++i)
        if (!outcome_.exchanges[i].wrong) credit(i);
    connections_.clear();
    // A program that ends when its input ends gets time to do so; a crash then is still its fault. One that
    // has failed already gets only a moment.
    bool failed = outcome_.problem != Problem::none;
    stage_.end(stage_.now() + (failed           ? std::min<Clock::duration>(to_end_, std::chrono::seconds(1))
                               : outcome_.ended ? at_end_
                                                : to_end_));
    over_ = judged;
    look_at_component();
    if (!judged) outcome_.errors = stage_.errors();
    std::string said = process::broken_message(outcome_.errors);
    if (!said.empty())
        fail(Problem::crashed, fmt::format("{} wrote to its standard error: {}", component_name(), said));
    if (outcome_.problem == Problem::closed_early && !said.empty()) outcome_.reason += " (" + said + ")";
    see_whether_gone();
    outcome_.verdict = verdict_of(outcome_.problem);
    outcome_.completed = outcome_.verdict == Verdict::pass &&
                         (outcome_.completed || outcome_.test_passed || !outcome_.challenge.empty());
    outcome_.nothing_sent = part_.hears && !outcome_.test_passed &&
                            std::none_of(outcome_.exchanges.begin(), outcome_.exchanges.end(),
                                         [](const Exchange& e) { return e.to_component; });
    return std::move(outcome_);
}

}  // namespace treaty::drive
