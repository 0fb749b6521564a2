// step: one conversation, taken event by event by the caller, forwards and back (step/walk.h).
//
//     StepStart start = begin_walk(workspace, question, context);
//     if (start.session) start.session->take(0, {});
//     StepAnswer answer = end_walk(start);
//
// A protocol is walked as a whole, or one role's part of it, with its data; over channels all roles together,
// with data left aside. So are machines over their channels; a single machine or a net is walked as it is. A
// net may have at most 10,000 tokens, since every event of a walk keeps a marking.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/inputs.h"
#include "api/program/tester_setup.h"
#include "api/workspace.h"
#include "base/result.h"
#include "model/run.h"
#include "model/system.h"
#include "step/walk.h"

namespace treaty::api {

struct StepQuestion {
    std::string file = {};
    std::string protocol = {};             // empty: the last one of the file
    std::string role = {};                 // empty: all of them
    std::optional<model::Mode> mode = {};  // with either of these a protocol is walked over channels
    std::optional<std::uint32_t> bound = {};
};

// A field of a message that can come next.
struct EventField {
    std::string name;
    expr::TypeId type;
    std::optional<expr::Value> fixed;     // the protocol leaves no choice about it
    std::optional<expr::Value> proposed;  // a value that suits, together with those proposed for the others
};

struct EnabledEvent {
    model::RunEvent event;  // without data
    std::vector<EventField> fields;
    bool proposed = false;  // whether values are known with which it can be taken
};

// A line of the text that is walked.
struct WalkedLine {
    std::uint32_t number = 0;
    std::string text;
    bool next = false;  // an event of it can come next
};

// Not safe for concurrent use. Uses the sources of the workspace, which must outlive it.
class StepSession {
public:
    ~StepSession();

    const std::string& title() const { return title_; }  // "Orders, the part of shop"
    // Of the data of events; null if they have none.
    const model::Specification* specification() const {
        return with_data_ ? &input_->specification : nullptr;
    }

    step::Standing standing() const { return walk_->standing(); }
    std::vector<EnabledEvent> enabled() const;
    std::size_t events_taken() const { return walk_->taken().size(); }
    // Other facts about the state of the conversation, one line each: values, messages on their way.
    std::vector<std::string> where() const { return walk_->where(); }

    // Takes one of enabled(), with a value for each field; false, and nothing changes, if they do not suit.
    bool take(std::size_t event, const step::Values& values) { return walk_->take(event, values); }
    // Takes one with proposed values, by the seed of the context; gives its position in enabled(), or nothing
    // if there is none.
    std::optional<std::size_t> take_random();
    // Undoes the last event; false at the beginning.
    bool back() { return walk_->back(); }

    // The events taken so far, for drawing and saving.
    model::Run run() const;
    model::RunEvent last_event() const;  // of events_taken() > 0
    // The events so far as a test that `replay` reads: the tester sends to the component what it received
    // here, and expects what it sent. file, cut and how the component is reached are those of the request. A
    // fault if it is not a walk through a whole protocol, or the protocol has no such role.
    base::Result<std::string> as_test(TestRequest request) const;
    // The text of the protocol; empty if there is none.
    std::vector<WalkedLine> text() const;

private:
    friend class WalkMaker;
    StepSession(const base::SourceMap& sources, std::uint64_t seed);
    model::RunEvent event_of(const step::Taken& taken) const;
    const std::vector<expr::Field>* fields_of(model::LabelId label) const;

    const base::SourceMap& sources_;
    std::vector<std::shared_ptr<const void>> documents_;  // so that the texts stay
    std::string title_;
    std::vector<std::string> roles_;  // the order of the lifelines
    // What the walk is on, in order of dependence.
    std::optional<ProtocolInput> input_;
    std::optional<model::System> system_;
    std::optional<model::Net> net_;
    std::unique_ptr<step::Walk> walk_;
    bool with_data_ = false;
    std::uint64_t random_;
};

struct StepStart : Answer {
    std::unique_ptr<StepSession> session;  // null if there is nothing to walk: see the diagnostics
};

StepStart begin_walk(const Workspace& workspace, const StepQuestion& question, const Context& context);

struct StepAnswer : Answer {
    step::Standing standing = step::Standing::going;
    model::Run run;
};

// Where the walk is when it is left: fails if it is stuck, undecided if it is not known what can come next,
// else holds.
StepAnswer end_walk(const StepStart& start);

}  // namespace treaty::api
