// The result of a test session: the events in the order in which the tester saw them, the verdict, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "model/alphabet.h"
#include "model/protocol.h"
#include "wire/corrupt.h"

namespace treaty::drive {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };

enum class Problem : std::uint8_t {
    none,
    unexpected_message,  // no possible configuration of the component allows it
    wrong_data,          // an expected message, with data that breaks a condition
    undecodable,         // bytes that match no message
    silence,             // an expected message did not come in time
    missing_message,     // a later message came, but this one did not, and nothing else comes
    closed_early,        // the conversation was not over
    accepted,            // a forbidden message was answered as if it were allowed
    hung,                // it did not give up when its input ended in the middle of a message
    crashed,             // killed by a signal, exited with an error, or reported by a sanitizer
    did_not_start,       // environment: the component could not be reached
    lost_track,          // more possible configurations than the limit
    no_data,             // the tester could not make a message
    another_course,      // replaying: the component chose another branch, so the run cannot go on
    not_repeatable,      // replaying: it passed, but the run may lack what made it fail
    silence_of_others,   // nothing came, but the component may wait for a role that is not played
    interrupted,         // by the user, or by the time for all sessions
    ended_from_outside,  // environment: something else has killed the component
    gone,                // environment: the component is gone, for an unknown reason
};

std::string_view to_string(Problem problem);  // "unexpected message", ...
Verdict verdict_of(Problem problem);
// Whether another run can follow one that ended so: there is a component, and time.
bool can_be_tried_again(Problem problem);

// Damage done to a message's bytes on purpose (wire/corrupt.h), and what came of it in this session.
struct SentCorrupted {
    wire::Damage damage = wire::Damage::flipped;
    std::uint32_t number = 0;  // wire::Corruption::number
    std::string what = {};     // these two are known when it is sent
    std::string bytes = {};
};

// One message between the tester and the component.
struct Exchange {
    static constexpr std::uint32_t when_nothing_is_due = UINT32_MAX;
    static constexpr std::uint32_t as_soon_as_allowed = UINT32_MAX - 1;

    bool to_component = false;
    model::RoleId from;
    model::RoleId to;
    model::MessageId message;
    std::vector<expr::Value> values;
    model::NodeId node;          // its step; none if no step allows it
    std::uint32_t awaited = 0;   // messages received from the component before it, for replaying
    bool wrong = false;          // sent on purpose although the protocol does not allow it
    bool after_silence = false;  // the component had been silent for so long that nothing was on its way
    bool while_due = false;      // an interruption: the component owed a message when this was sent
    std::uint32_t session = 0;   // which of the sessions with the same component, from 0; never falls
    // Its bytes were damaged (then it is also `wrong`) or, if only split, sent in pieces.
    std::optional<SentCorrupted> corruption = {};
};

struct SessionResult {
    Verdict verdict = Verdict::inconclusive;
    Problem problem = Problem::none;
    std::string reason;                   // one line
    std::vector<model::NodeId> expected;  // the steps that were allowed instead
    std::vector<Exchange> exchanges;      // all of them; the last one is the wrong one, if it was a message
    // Messages between the roles that are played: each with the number of exchanges before it.
    std::vector<std::pair<std::size_t, Exchange>> inner;
    std::vector<std::string> explanations;  // where the component may have been, if asynchrony leaves several
    std::optional<std::size_t> answers;  // the earlier exchange to which the same answer as the last one came
    std::size_t possibilities = 1;       // configurations the component might have been in at once, at most
    bool ended = false;                  // the conversation reached an end of the protocol
    bool test_passed = false;            // with a director: it reached a state where the test may end
    // It passed and reached its goal: an end of the protocol, or the full length if the protocol has no end;
    // the end of a test; a wrong message sent and judged. A session that passed without this is unfinished
    // and proves little about the component.
    bool completed = false;
    bool nothing_sent = false;  // although the component can receive messages: it proves little
    std::string obstacle;       // why it is unfinished, if known
    // With the same component; the last one is judged. Some may have no message.
    std::uint32_t sessions = 1;
    // Of a failure: what the last earlier sessions sent to the same component, one list per session; how many
    // sessions there were before those; and whether a new component did not fail with all of these.
    std::vector<std::vector<Exchange>> before;
    std::size_t forgotten = 0;
    bool unrepeated = false;
    int signal = 0;         // of a crash: the signal that ended the component, or 0
    std::string challenge;  // the wrong message that was sent on purpose, and what is wrong with it
    std::string gone;       // the sign that the component is gone, if that is the problem
    std::string errors;     // the component's standard error, the last part
    std::uint64_t sent_bytes = 0, received_bytes = 0;  // to the component, and from it
};

// All exchanges, including those between the roles that are played, in order.
std::vector<Exchange> everything(const SessionResult& outcome);

// Everything known to be needed to see a failure again with a new component.
struct Rerun {
    std::vector<Exchange> exchanges;  // by session; those of the component are not needed
    std::uint32_t sessions = 1;
    bool complete = true;  // false: something may be missing, so passing does not mean that it is fixed
    bool inner = true;     // includes the messages between the roles that are played
    bool adapt = false;    // data that is no longer allowed is replaced by the nearest that is
};

// The sessions before it, then its own.
Rerun rerun_of(const SessionResult& outcome);

// Two failures with equal causes are the same: the same position in the protocol, the same expected messages
// and the same message instead; for a forbidden message that was accepted also that message. Only for results
// of one protocol.
std::string cause_of(const SessionResult& outcome);

}  // namespace treaty::drive
