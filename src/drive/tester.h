// Plays every role except one, or some of them, and tests the program that plays that one.
//
// A Tester is made once for a protocol and a component; each session is a Conversation on its stage: it sends
// only what every possible configuration of the component allows, takes what comes, and ends with a verdict.
// The seed decides everything, except what the component does and when.
//
// How long silence may last is defined by `within` on a step, otherwise by the options. No session exceeds
// its limits, and everything that it started is ended. Not safe for concurrent use.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "drive/conversation.h"
#include "drive/session_result.h"
#include "drive/stage.h"
#include "roles/role_part.h"

namespace treaty::drive {

class Tester {
public:
    // kept: the stage has the same component in the next session.
    Tester(std::unique_ptr<roles::RolePart> part, std::unique_ptr<Stage> stage, SessionOptions options,
           bool kept = false)
        : part_(std::move(part)), stage_(std::move(stage)), options_(options), kept_(kept) {}

    // director: see Conversation::run.
    SessionResult run(std::uint64_t seed, Director* director = nullptr) {
        return remembered(Conversation(*part_, *stage_, options_).run(seed, director));
    }
    // A conversation with one message that is not allowed; then, if the component is kept, one without, to
    // see that it still works.
    SessionResult challenge(std::uint64_t seed);
    // Sends the messages to the component as they are, session by session; judges what comes like run(). The
    // first session that does not pass is the last.
    SessionResult replay(const Rerun& run);

    bool kept() const { return kept_; }
    // The next session has a new component, if one can be started.
    void renew() { stage_->renew(); }

    const roles::Coverage& coverage() const { return part_->coverage; }
    const roles::RolePart& part() const { return *part_; }
    roles::RolePart& part() { return *part_; }

private:
    // Only for a component that is kept: the effects of one session may break a later one.
    static constexpr std::size_t most_remembered = 64, most_weight = 8 << 20;  // sessions, bytes
    SessionResult remembered(SessionResult outcome);

    std::unique_ptr<roles::RolePart> part_;
    std::unique_ptr<Stage> stage_;
    SessionOptions options_;
    bool kept_;
    std::deque<std::vector<Exchange>> history_;  // what was sent to this component, by session
    std::size_t history_weight_ = 0, forgotten_ = 0;
};

}  // namespace treaty::drive
