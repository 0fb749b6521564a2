// Plays every role but one, or some of them, and tests the program that plays that one.
//
// A Tester is made once for a protocol and a component; each session is a Conversation on its stage: it sends
// only what every possible configuration of the component allows, takes what comes, and ends with a verdict.
// All is decided by the seed, except what the component does and when.
//
// How long silence may last is said by `within` on a step, else by the manners. No session outlasts its
// limits, and nothing that it has started is left behind. Not safe for concurrent use.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "drive/conversation.h"
#include "drive/outcome.h"
#include "drive/part.h"
#include "drive/stage.h"

namespace treaty::drive {

class Tester {
public:
    // kept: the stage has the same component in the next session.
    Tester(std::unique_ptr<Part> part, std::unique_ptr<Stage> stage, Manners manners, bool kept = false)
        : part_(std::move(part)), stage_(std::move(stage)), manners_(manners), kept_(kept) {}

    // director: see Conversation::run.
    Outcome run(std::uint64_t seed, Director* director = nullptr) {
        return remembered(Conversation(*part_, *stage_, manners_).run(seed, director));
    }
    // A conversation with one message that is not allowed; then, with a component that is kept, one without,
    // to see that it still works.
    Outcome challenge(std::uint64_t seed);
    // Sends the messages to the component as they are, session by session; judges what comes like run(). The
    // first session that does not pass is the last.
    Outcome replay(const Rerun& run);

    bool kept() const { return kept_; }
    // The next session is with a component that has seen nothing yet, if it can be started.
    void renew() { stage_->renew(); }

    const Coverage& coverage() const { return part_->coverage; }
    const Part& part() const { return *part_; }
    Part& part() { return *part_; }

private:
    // Only of a component that is kept: what one session leaves behind may be what breaks a later one.
    static constexpr std::size_t most_remembered = 64, most_weight = 8 << 20;  // sessions, bytes
    Outcome remembered(Outcome outcome);

    std::unique_ptr<Part> part_;
    std::unique_ptr<Stage> stage_;
    Manners manners_;
    bool kept_;
    std::deque<std::vector<Exchange>> history_;  // what was sent to this component, by session
    std::size_t history_weight_ = 0, forgotten_ = 0;
};

}  // namespace treaty::drive
