// What a session of testing came to: the events in the order the tester saw them, the verdict, and why.
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

namespace treaty::drive {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };

enum class Problem : std::uint8_t {
    none,
    unexpected_message,  // no possible configuration of the component allows it
    wrong_data,          // a message that was due, with data that breaks a condition
    undecodable,         // bytes that are no message
    silence,             // a message was due and did not come in time
    missing_message,     // what the component sends after it has come, but it has not, and nothing else comes
    closed_early,        // the conversation was not over
    accepted,            // a message that is not allowed was answered as if it were
    crashed,             // ended by a signal, with an error, or a sanitizer spoke
    did_not_start,       // the world: nobody to talk to
    lost_track,          // more possible configurations than the limit
    no_data,             // the tester could not make a message
    another_course,      // replaying: the component chose otherwise, so the run cannot go on
    not_repeatable,      // replaying: it passed, but what made it fail may not be in the run
    silence_of_others,   // nothing came, but what the component waits for may be owed by a role that is not
                         // played
    interrupted,         // by the user, or by the time for all sessions
    ended_from_outside,  // the world: somebody else has ended the component
    gone,                // the world: the component is there no longer, and why is not known
};

std::string_view to_string(Problem problem);  // "unexpected message", ...
Verdict verdict_of(Problem problem);
// Whether a run that ended so may be followed by another one: there is a component, and time.
bool can_be_tried_again(Problem problem);

// One message between the tester and the component.
struct Exchange {
    static constexpr std::uint32_t when_nothing_is_due = UINT32_MAX;
    static constexpr std::uint32_t as_soon_as_allowed = UINT32_MAX - 1;

    bool to_component = false;
    model::RoleId from;
    model::RoleId to;
    model::MessageId message;
    std::vector<expr::Value> values;
    model::NodeId node;          // the step it is taken for; none if no step allows it
    std::uint32_t awaited = 0;   // messages of the component that had come before it, for replaying
    bool wrong = false;          // sent on purpose although the protocol does not allow it
    bool after_silence = false;  // the component had been silent for so long that nothing was on its way
    std::uint32_t session = 0;   // which of the sessions with the same component, from 0; never falls
};

struct Outcome {
    Verdict verdict = Verdict::inconclusive;
    Problem problem = Problem::none;
    std::string reason;                   // one line
    std::vector<model::NodeId> expected;  // the steps that would have been right
    std::vector<Exchange> exchanges;  // all that happened; the last one is the wrong one, if it was a message
    // What the roles that are played told each other: each with how many of the exchanges came before it.
    std::vector<std::pair<std::size_t, Exchange>> inner;
    std::vector<std::string> explanations;  // where the component may have been, if asynchrony leaves several
    std::optional<std::size_t> answers;  // the earlier exchange that the last one would have answered: a slip
    std::size_t possibilities = 1;       // configurations the component might have been in at once, at most
    bool ended = false;                  // the conversation reached an end of the protocol
    bool test_passed = false;            // with a director: it came to where the test may end
    // It passed, and what the session was for was done: an end of the protocol was reached, or there is none
    // and the session has its full length; a test may end; a wrong message was sent and judged. A session
    // that passed without this is unfinished and says little about the component.
    bool completed = false;
    bool mute = false;     // nothing was sent, though the component has something to hear: it shows little
    std::string obstacle;  // why it is unfinished, where nothing was found
    // With the same component, the last one is what is judged; there may be some without a message.
    std::uint32_t sessions = 1;
    // Of a failure: what earlier sessions have sent to the same component, one list a session, the last ones;
    // how many there were before those; and whether a new component did not fail with all of these.
    std::vector<std::vector<Exchange>> before;
    std::size_t forgotten = 0;
    bool unrepeated = false;
    int signal = 0;         // of a crash: the signal that ended the component, or 0
    std::string challenge;  // the wrong message that was sent on purpose, and what is wrong with it
    std::string gone;       // how it shows that the component is there no longer, if that is the problem
    std::string errors;     // the component's standard error, the last part
};

// All that happened, what the roles that are played told each other included, in order.
std::vector<Exchange> everything(const Outcome& outcome);

// All that is known of what it takes to see a failure again with a new component.
struct Rerun {
    std::vector<Exchange> exchanges;  // by session; those of the component are not needed
    std::uint32_t sessions = 1;
    bool complete = true;  // no: there may be more to it, so that passing does not mean that it is fixed
    bool inner = true;     // what the roles that are played told each other is there
};

// The sessions before it, then its own.
Rerun rerun_of(const Outcome& outcome);

// What makes two failures the same: the place in the protocol, what was expected there, and what came
// instead; of a wrong message that was accepted also which one it was. Only for outcomes of one protocol.
std::string cause_of(const Outcome& outcome);

}  // namespace treaty::drive
