#include "drive/conversation.h"

#include <algorithm>

#include <fmt/format.h>

#include "drive/explain.h"
#include "drive/send_out.h"

namespace treaty::drive {

using model::MessageId;
using std::chrono::milliseconds;

Conversation::Conversation(Part& part, Stage& stage, const Manners& manners)
    : part_(part), stage_(stage), manners_(manners), tracker_(part.tracked) {}

Conversation::~Conversation() = default;

Outcome Conversation::run(std::uint64_t seed, Director* director) {
    if (!start()) return finish();
    if (part_.peers) peers_.emplace(*part_.peers);
    director_ = director;
    if (director) director->begin(!peers_);
    expr::Choices choices(seed);
    // A profile says itself how often a value comes.
    if (part_.profile) choices.lean(expr::Lean::even);
    while (!over_) director ? follow(choices) : step(choices);
    return finish();
}

Outcome Conversation::replay(std::span<const Exchange> exchanges, bool inner) {
    if (!start()) return finish();
    if (inner && part_.peers) peers_.emplace(*part_.peers);
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

void Conversation::fail(Problem problem, std::string reason) {
    if (over_) return;
    over_ = true;
    outcome_.problem = problem;
    outcome_.reason = std::move(reason);
}

void Conversation::fail_silent() {
    if (stopped()) return;
    std::string reason = "nothing came for too long, but " + expectation();
    // What it waits for may be owed by a role that nobody sees.
    if (part_.waits_unseen)
        return fail(Problem::silence_of_others, reason + ", or it waits for a role that is not played");
    bool closed = std::all_of(lines_.begin(), lines_.end(), [](const auto& line) { return line->ended(); });
    if (closed) see_it_end();
    if (over_) return;
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    if (closed) return fail(Problem::closed_early, "the connection was closed, but " + expectation());
    if (missing_one())
        return fail(Problem::missing_message,
                    fmt::format("{} never came, though what {} sends after it has come",
                                names_of(part_, tracker_.expected_outputs()), part_.name(part_.cut)));
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

// Where something may still be on its way: waits until it has come or no longer can. False if there was
// nothing to wait for, so that the situation is the same as before.
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
    if (!manners_.deadline.passed()) return false;
    fail(Problem::interrupted, "stopped before the conversation was over");
    return true;
}

bool Conversation::start() {
    auto no_start = [&](std::string reason) {
        if (!stopped()) fail(Problem::did_not_start, std::move(reason));
        return false;
    };
    Time began = stage_.now();
    if (auto begun = stage_.begin(); !begun)
        return no_start("the component cannot be started: " + begun.error());
    Time deadline = stage_.now() + manners_.startup;
    for (model::RoleId role : part_.played) {
        auto transport = stage_.open(role, deadline);
        if (!transport)
            return no_start(
                fmt::format("{} cannot reach the component at {}", part_.name(role), transport.error()));
        lines_.push_back(std::make_unique<Line>(
            *part_.codec, role, messages_with(part_, role, model::EventKind::send), std::move(*transport)));
    }
    // What takes long to start takes long to end, on a busy machine above all.
    to_end_ = manners_.linger.count() > 0 ? Clock::duration(manners_.linger)
                                          : std::clamp<Clock::duration>(stage_.now() - began, manners_.quiet,
                                                                        std::chrono::seconds(1));
    return true;
}

// Sends, listens, or ends, whatever is possible and the choices say.
void Conversation::step(expr::Choices& choices) {
    if (stopped()) return;
    bool must = tracker_.must_output();
    if (must) {
        // Where parallel segments allow it, more is sometimes sent before the answer is there.
        const auto& inputs = tracker_.allowed_inputs();
        bool more = outcome_.exchanges.size() < manners_.length &&
                    std::any_of(inputs.begin(), inputs.end(),
                                [](const track::InputChoice& one) { return one.immediate; });
        if (more && choices.flag(30) && send_something(choices, Which::immediate)) return;
        if (over_ || await_due(choices)) return;
        return fail_silent();
    }
    listen(Clock::duration::zero());  // what is there already
    if (over_ || tracker_.must_output()) return;
    bool enough = outcome_.exchanges.size() >= manners_.length;
    if (enough && all_may_end()) return end_conversation();
    // Where it may speak, sometimes let it.
    bool may_speak = !tracker_.expected_outputs().empty();
    if (may_speak && choices.flag(50) && listen(manners_.quiet)) return;
    if (over_) return;
    bool too_long = outcome_.exchanges.size() >= 10 * manners_.length + 100;
    if (!too_long && !(all_may_end() && choices.draw(manners_.length) == 0) && send_something(choices))
        return;
    if (over_) return;
    if (wait_out_silence() || (may_speak && listen(patience()))) return;
    if (!over_ && too_long)
        obstacle_ = fmt::format("it was cut off after {} messages", outcome_.exchanges.size());
    if (!over_) end_conversation();
}

// The component owes something. It may do its parallel segments one after the other and wait for something in
// another one first, so that is sent before its silence counts. False if nothing came, or is left to be sent.
bool Conversation::await_due(expr::Choices& choices) {
    bool too_long = outcome_.exchanges.size() >= 10 * manners_.length + 100;
    if (may_wait_for_something()) {
        if (listen(manners_.quiet) || over_) return true;
        if (!too_long && send_something(choices, Which::beside)) return true;
        if (over_) return true;
    }
    return listen(patience()) || over_;
}

// Whether some message may be what the component waits for, and it is not known that its sender may not send
// it.
bool Conversation::may_wait_for_something() {
    std::vector<Peers::Send> sends;
    if (peers_) sends = peers_->sends();
    const auto& inputs = tracker_.allowed_inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](const track::InputChoice& one) {
        const model::Event& e = part_.event(one.label);
        bool sendable = !peers_ || std::any_of(sends.begin(), sends.end(), [&](const Peers::Send& s) {
            return s.event.to != part_.cut || (s.event.from == e.from && s.event.message == e.message);
        });
        return one.safe && line_of(e.from) && sendable && tracker_.beside(one.label);
    });
}

// Sends what the director wants as soon as the component can take it; the end is where that is nothing more.
void Conversation::follow(expr::Choices& choices) {
    if (stopped()) return;
    listen(Clock::duration::zero());
    if (over_) return;
    bool must = tracker_.must_output();
    if (must) {
        if (!await_due(choices)) fail_silent();
        return;
    }
    if (send_something(choices) || over_) return;
    bool may = !tracker_.expected_outputs().empty();
    if (may && (listen(manners_.quiet) || over_)) return;
    if (wait_out_silence() || over_) return;
    outcome_.test_passed = director_->succeeded();
    end_conversation();
}

// Without a will of its own: takes what comes until nothing is due.
void Conversation::listen_or_end() {
    if (stopped()) return;
    bool must = tracker_.must_output();
    bool came = listen(must ? patience() : Clock::duration(manners_.quiet));
    if (came || over_) return;
    // What is left out of a run may be what the component waits for.
    if (must && may_wait_for_something()) return give_up_waiting();
    if (must)
        fail_silent();
    else if (!wait_out_silence())
        end_conversation();
}

void Conversation::give_up_waiting() {
    fail(Problem::another_course, "the run ends where the component may wait for another message");
}

void Conversation::await_turn(const Exchange& next) {
    if (next.after_silence)
        while (!over_ && !stopped() && wait_out_silence()) {
        }
    auto label = part_.input(next.from, next.message);
    auto waiting = [&] {
        if (next.awaited == Exchange::when_nothing_is_due) return tracker_.must_output();
        if (next.awaited != Exchange::as_soon_as_allowed) return received_ < next.awaited;
        const auto& inputs = tracker_.allowed_inputs();
        return std::none_of(inputs.begin(), inputs.end(), [&](const track::InputChoice& one) {
            return label && one.label == *label && one.safe && one.immediate;
        });
    };
    while (!over_ && waiting() && !stopped()) {
        if (listen(patience()) || over_) continue;
        bool waits_for_it = label && tracker_.beside(*label);
        if (tracker_.must_output() && !waits_for_it) fail_silent();
        return;
    }
}

// What one role told another, if it may still be told: a run that was made shorter may have no place for it.
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

// Takes what comes until something has come or the time is up; true if a message came. The clock is only
// asked when there is something to wait for: asking it costs as much as the work on a message.
bool Conversation::listen(Clock::duration how_long) {
    std::uint32_t before = received_;
    take_all();
    if (how_long.count() > 0 && manners_.spin && spin_.worth_it()) {
        // An answer over loopback takes some microseconds, less than going to sleep and being woken.
        for (int i = 0; i < Spin::looks && !over_ && received_ == before; ++i) take_all();
        spin_.learn(received_ != before);
    }
    if (over_ || received_ != before || how_long.count() <= 0) return received_ != before;
    Time now = stage_.now(), until = now + how_long;
    std::size_t unread = 0;
    for (; !over_ && received_ == before; now = stage_.now()) {
        open_.clear();
        for (auto& line : lines_)
            if (!line->ended() || line->transport().pending()) open_.push_back(&line->transport());
        // The time counts from when the component has taken all that was sent; it may read slowly, not stop.
        // One that is started and spoken to at once reads when it is ready.
        if (std::size_t left = unread_by_it(); left != unread) {
            until = now + (left > 0 ? std::max<Clock::duration>(how_long, manners_.silence) : how_long);
            unread = left;
        }
        if (now >= until || manners_.deadline.passed()) break;
        // Nobody is left to wait for but the component itself.
        if (open_.empty() && (tracker_.must_output() || outcome_.ended)) break;
        settle();
        stage_.wait(open_, std::min(until, now + milliseconds(100)));
        take_all();
    }
    return received_ != before;
}

std::size_t Conversation::unread_by_it() const {
    std::size_t all = 0;
    for (const Transport* one : open_) all += one->unread();
    return all;
}

void Conversation::take_all() {
    for (auto& line : lines_)
        if (!over_) take(*line);
    look_at_component();
}

// What nothing can be said to any more is answered with nothing, where the transport needs an answer.
void Conversation::settle() {
    for (auto& line : lines_) {
        if (!line->transport().owes()) continue;
        auto answers = [&](const track::InputChoice& one) {
            return part_.event(one.label).from == line->role();
        };
        const auto& inputs = tracker_.allowed_inputs();
        if (std::none_of(inputs.begin(), inputs.end(), answers)) line->transport().settle();
    }
}

// What the connection has: bytes to messages to the tracker.
void Conversation::take(Line& line) {
    if (line.ended()) return;
    auto may_come = [&](MessageId message, std::span<const expr::Value> values) {
        auto label = part_.output(line.role(), message);
        track::Tracker probe = tracker_;
        return label && probe.observe_output(*label, values) != track::Outcome::refused;
    };
    while (!over_) {
        switch (line.read(expected_now(line.role()), may_come)) {
            case Line::Got::message: came(line, line.message(), line.take_values()); continue;
            case Line::Got::fault: return undecodable(line);
            case Line::Got::nothing: break;
        }
        if (line.ended()) line_ended(line);
        return;
    }
}

void Conversation::line_ended(Line& line) {
    std::string broken = line.transport().fault();
    broken_off_ = line.transport().broken_off();
    if (!broken.empty())
        return fail(Problem::undecodable,
                    fmt::format("at {}: {}; {}", part_.name(line.role()), broken, expectation()));
    if (!tracker_.must_output()) return;
    // What is due may come on another connection.
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (const Line* other = line_of(part_.event(one.label).to); other && !other->ended()) return;
    see_it_end();
    if (over_) return;
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    fail(Problem::closed_early,
         fmt::format("the connection to {} was closed, but {}", part_.name(line.role()), expectation()));
}

// What is expected of the component at this line now, ascending.
std::span<const wire::MessageIndex> Conversation::expected_now(model::RoleId role) {
    now_.clear();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (const auto& e = part_.event(one.label); e.to == role) now_.push_back(e.message.index);
    std::sort(now_.begin(), now_.end());
    now_.erase(std::unique(now_.begin(), now_.end()), now_.end());
    return now_;
}

void Conversation::undecodable(Line& line) {
    broken_off_ = line.broken_off();
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    fail(Problem::undecodable,
         fmt::format("{} came at {}; {} (byte {}: {})", line.fault(), part_.name(line.role()), expectation(),
                     line.decode_fault().offset, line.decode_fault().reason));
}

void Conversation::came(Line& line, MessageId message, std::vector<expr::Value> values) {
    ++received_;
    silent_ = false;
    auto label = part_.output(line.role(), message);
    Exchange exchange{false, part_.cut, line.role(), message, std::move(values), {}, received_ - 1};
    bool foreseen = false;
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        if (label && one.label == *label) {
            foreseen = true;
            exchange.node = one.node;
        }
    outcome_.exchanges.push_back(std::move(exchange));
    const Exchange& kept = outcome_.exchanges.back();
    if (!part_.well_formed(message, kept.values))
        return came_wrongly(line, Problem::wrong_data, "but its data breaks the message's own conditions");
    track::Outcome said = label ? tracker_.observe_output(*label, kept.values) : track::Outcome::refused;
    if (director_) director_->came(line.role(), message);
    if (said == track::Outcome::allowed) {
        note(kept);
        std::size_t index = outcome_.exchanges.size() - 1;
        if (!peers_) return credit(index);
        peers_->came(line.role(), message, kept.values, index);
        return credit_taken();
    }
    if (said == track::Outcome::lost)
        return fail(Problem::lost_track, "there are more possible configurations than the limit");
    // Without data it is what came before it that has no place: something overtook it that may not come.
    bool data = foreseen && !kept.values.empty();
    came_wrongly(line, data ? Problem::wrong_data : Problem::unexpected_message,
                 data       ? "but its data breaks a condition"
                 : foreseen ? "but what came before it is not allowed"
                            : "");
}

// The last exchange is wrong; after a refusal the tracker stays where it was.
void Conversation::came_wrongly(const Line& line, Problem problem, std::string reason) {
    for (const track::ExpectedOutput& one : tracker_.expected_outputs())
        outcome_.expected.push_back(one.node);
    outcome_.explanations = explanations(part_, outcome_.exchanges);
    outcome_.answers = answers_earlier(part_, outcome_.exchanges);
    if (outcome_.answers)
        reason += fmt::format("{}it would have answered message {}, {}: the conversation has slipped",
                              reason.empty() ? "" : "; ", *outcome_.answers + 1,
                              part_.name(outcome_.exchanges[*outcome_.answers].message));
    fail(problem, fmt::format("{} came at {}{}{}; {}", part_.name(outcome_.exchanges.back().message),
                              part_.name(line.role()), reason.empty() ? "" : ", ", reason, expectation()));
}

void Conversation::send(Exchange exchange) {
    Line* line = line_of(exchange.from);
    auto label = part_.input(exchange.from, exchange.message);
    if (!line || !label)
        return fail(Problem::no_data, "a message to the component is not one of the protocol");
    exchange.awaited = received_;
    exchange.after_silence = silent_;
    silent_ = false;
    if (!exchange.node) {  // replaying: it may have no place any more
        for (const track::InputChoice& one : tracker_.allowed_inputs())
            if (one.label == *label && !one.nodes.empty()) exchange.node = one.nodes.front();
        track::Tracker probe = tracker_;
        if (!part_.well_formed(exchange.message, exchange.values) ||
            probe.observe_input(*label, exchange.values) == track::Outcome::refused ||
            (peers_ && !peers_->may_send(exchange.from, exchange.to, exchange.message, exchange.values)))
            return fail(Problem::another_course,
                        "the component has taken another course, on which this message has no place");
    }
    auto taken = line->write(exchange.message, exchange.values);
    if (!taken)
        return fail(Problem::no_data,
                    fmt::format("{} cannot be written: {}", part_.name(exchange.message), taken.error()));
    // The rest while the component has it already.
    track::Outcome said = tracker_.observe_input(*label, exchange.values);
    if (director_) director_->sent(exchange.from, exchange.to, exchange.message);
    if (peers_) peers_->sent(exchange.from, exchange.to, exchange.message, exchange.values);
    MessageId message = exchange.message;
    note(exchange);
    outcome_.exchanges.push_back(std::move(exchange));
    credit(outcome_.exchanges.size() - 1);
    credit_taken();
    if (said == track::Outcome::lost)
        return fail(Problem::lost_track, "there are more possible configurations than the limit");
    if (!*taken) {
        // It may have said why before it closed: that is read first.
        listen(manners_.quiet);
        if (!over_) see_it_end();
        if (over_) return;
        for (const track::ExpectedOutput& one : tracker_.expected_outputs())
            outcome_.expected.push_back(one.node);
        fail(Problem::closed_early,
             fmt::format("the component does not take {} any more", part_.name(message)));
    }
}

// The tester says that it has finished and listens for what must not come any more. A conversation that is
// cut off is not judged further: what a component does then is not the protocol's business.
void Conversation::end_conversation() {
    outcome_.ended = tracker_.may_end();
    auto situations = tracker_.configurations();
    bool endless = std::all_of(situations.begin(), situations.end(), [&](const track::Configuration& c) {
        return part_.own_end.endless(c.marking);
    });
    outcome_.completed = outcome_.ended || (endless && outcome_.exchanges.size() >= manners_.length);
    if (!outcome_.completed) outcome_.obstacle = obstacle_;
    if (outcome_.ended) {
        for (auto& line : lines_)
            if (!line->ended()) line->transport().finish();
        // One that closes its side too says that nothing more will come.
        auto all_ended = [&] {
            return std::all_of(lines_.begin(), lines_.end(), [](const auto& line) { return line->ended(); });
        };
        Time until = stage_.now() + std::max(manners_.quiet, manners_.linger);
        while (!over_ && !all_ended() && listen(until - stage_.now())) {
        }
    }
    over_ = true;
}

void Conversation::look_at_component() {
    const Ending& ending = stage_.ending();
    if (over_ || !ending.ended || ending.by_us) return;
    outcome_.signal = ending.signal;
    if (ending.signal != 0)
        return fail(Problem::crashed,
                    fmt::format("the component was ended by signal {}; {}", ending.signal, expectation()));
    if (ending.status != 0) {
        std::string said = process::broken_message(stage_.errors());
        fail(Problem::crashed, fmt::format("the component ended with status {}{}; {}", ending.status,
                                           said.empty() ? "" : " (" + said + ")", expectation()));
    }
}

// A program that breaks closes its connections a moment before it is gone: that is a crash, each time.
void Conversation::see_it_end() {
    look_for_it(true);  // at once: somebody may start it again
    await_its_end();
    look_at_component();
}

void Conversation::await_its_end() {
    Time until = stage_.now() + to_end_;
    stage_.look();
    while (!stage_.ending().ended && stage_.now() < until && !manners_.deadline.interrupted()) {
        Time before = stage_.now();
        stage_.wait({}, until);
        if (stage_.now() == before) break;  // a clock that stands still while something is unread
    }
}

// Notes how it shows that it is there no longer, if it does.
void Conversation::look_for_it(bool closed) {
    if (auto how = stage_.gone(closed)) outcome_.gone = std::move(*how);
}

// What somebody else has started and ends is there no longer: that it was silent, or closed its connections,
// is then no evidence of a fault of its own. It may have broken, but it may as well have been ended.
void Conversation::see_whether_gone() {
    bool closed = outcome_.problem == Problem::closed_early || broken_off_;
    if (!closed && outcome_.problem != Problem::silence && outcome_.problem != Problem::missing_message)
        return;
    if (outcome_.gone.empty()) look_for_it(closed);
    if (outcome_.gone.empty()) return;
    outcome_.problem = Problem::gone;
    outcome_.reason =
        fmt::format("{}; the component is there no longer ({}): it has crashed, or somebody has ended it",
                    outcome_.reason, outcome_.gone);
}

// How long what is due may take, by the most patient of the steps that could be next.
Clock::duration Conversation::patience() {
    std::chrono::nanoseconds longest{0};
    for (const track::ExpectedOutput& one : tracker_.expected_outputs()) {
        std::int64_t within = one.node ? part_.protocol[one.node].within_ns : -1;
        longest = std::max(longest, within < 0 ? std::chrono::nanoseconds(manners_.silence)
                                               : std::chrono::nanoseconds(within));
    }
    if (longest.count() == 0) longest = manners_.silence;
    return std::chrono::duration_cast<Clock::duration>(longest);
}

// What the component should have done, for people.
std::string Conversation::expectation() {
    std::string names = names_of(part_, tracker_.expected_outputs());
    if (names.empty()) return tracker_.may_end() ? "the conversation was over" : "it was not its turn";
    return fmt::format("{} was {}", names, tracker_.must_output() ? "due" : "possible");
}

void Conversation::note(const Exchange& exchange) {
    outcome_.possibilities = std::max(outcome_.possibilities, tracker_.possibilities());
    if (manners_.note_values) part_.coverage.note(exchange.message, exchange.values);
}

// Counts the step that an exchange is, once.
void Conversation::credit(std::size_t exchange) {
    credited_.resize(outcome_.exchanges.size());
    const Exchange& e = outcome_.exchanges[exchange];
    if (!credited_[exchange]) part_.coverage.note(e.node, e.to_component);
    credited_[exchange] = true;
}

// What the component sends to a role is the step at which that role takes it: where messages overtake each
// other, the component's own place is not known yet when one comes.
void Conversation::credit_taken() {
    if (!peers_) return;
    for (auto [exchange, node] : peers_->taken()) {
        if (node) outcome_.exchanges[exchange].node = node;
        credit(exchange);
    }
}

bool Conversation::all_may_end() {
    return tracker_.may_end() && (!peers_ || peers_->may_end());
}

Line* Conversation::line_of(model::RoleId role) {
    for (auto& line : lines_)
        if (line->role() == role) return line.get();
    return nullptr;
}

Outcome Conversation::finish() {
    lines_.clear();
    // A program that ends with its input gets the time to; what breaks it then is still its fault. Whoever
    // has failed already only gets a moment.
    bool failed = outcome_.problem != Problem::none;
    stage_.end(stage_.now() +
               (failed ? std::min<Clock::duration>(to_end_, std::chrono::seconds(1)) : to_end_));
    over_ = outcome_.problem != Problem::none || !outcome_.ended;
    look_at_component();
    outcome_.errors = stage_.errors();
    std::string said = process::broken_message(outcome_.errors);
    if (!said.empty()) fail(Problem::crashed, "the component says: " + said);
    if (outcome_.problem == Problem::closed_early && !said.empty()) outcome_.reason += " (" + said + ")";
    see_whether_gone();
    // What no role has taken yet; the last one may be what is wrong.
    bool wrong = outcome_.problem == Problem::unexpected_message || outcome_.problem == Problem::wrong_data;
    for (std::size_t i = 0; i + (wrong ? 1 : 0) < outcome_.exchanges.size(); ++i)
        if (!outcome_.exchanges[i].wrong) credit(i);
    outcome_.verdict = verdict_of(outcome_.problem);
    outcome_.completed = outcome_.verdict == Verdict::pass &&
                         (outcome_.completed || outcome_.test_passed || !outcome_.challenge.empty());
    outcome_.mute = part_.hears && !outcome_.test_passed &&
                    std::none_of(outcome_.exchanges.begin(), outcome_.exchanges.end(),
                                 [](const Exchange& e) { return e.to_component; });
    return std::move(outcome_);
}

}  // namespace treaty::drive
