// Does a component pass a test? Every maximal run of both together is looked at (Coto 2023, definition 3.6).
//
// Local verdict, as there: each maximal run has a configuration in which every test machine is in a success
// state and the chosen channels are empty. A run that goes round a cycle for ever, or sends for ever, is
// maximal too.
//
// Global verdict, with an Observer: in addition no run shows the tester an event that the protocol does not
// have there, whatever each test machine by itself would accept. And where success means the end of the
// protocol (whole_run), a run that ends must end successfully: what was seen is a whole run, and nothing is
// left in a channel, even if all was well at some moment before. Global failures include the local ones.
//
// A run ends where no role can move, and also where all that can are in a final state and could only send:
// whether they go on is their own decision.
//
// Loops are unrolled in the tests, and a component that takes more rounds than that is not to blame for it.
// If the projections are given, a run is followed only as far as they go: to the first event of the component
// that its machine has in a later round (and where a component that does not keep to its machine is refused,
// but would not be with more rounds). Such a run fails nothing. A test all of whose runs are of this kind
// is undecided; `beyond` says that there was one.
//
// Where a role waits although it could send (split.h), it may wait in vain: a run that ends there, or goes
// round for ever, says nothing and fails nothing; `waited` says that there was one. So a component that keeps
// to the protocol passes such tests, too.
//
// A failure has a run: a shortest one if it is finite. Only if no finite run fails, one that goes round a
// cycle is shown, with the part that repeats; a machine that may send for ever over channels without a bound
// is reported where it is met, since nothing ends after it. Beyond the limits the answer is undecided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/answer.h"
#include "explore/configuration.h"
#include "explore/search_limits.h"
#include "testgen/observer.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

struct ComplianceOptions {
    model::Channels channels;
    std::optional<std::vector<explore::Channel>> stable;  // which must be empty; default: all
    bool whole_run = true;                                // success states mean the end of the protocol
    bool observe_final = false;  // a run that ends must leave the component in a state where it may end
    const Projections* rounds = nullptr;  // whose loops were unrolled, as above
    explore::Limits limits;               // of states: a million if not set
};

enum class FailureKind : std::uint8_t {
    refused,     // the tester saw something that the protocol does not have there
    stuck,       // a test machine waits for something that never comes
    leftover,    // a message is never received
    incomplete,  // everyone may end, but together they have not seen a whole run
    unfinished,  // the component has not ended
    endless,     // a cycle without success
    flood,       // sends for ever
};
std::string_view to_string(FailureKind kind);

struct Failure {
    FailureKind kind = FailureKind::stuck;
    explore::Run run;        // machine 0 is the component, the others are those of the test, in order
    std::size_t repeat = 0;  // endless, flood: run[repeat..] goes on for ever
    std::string reason;      // one line
};

struct Compliance {
    base::Answer answer = base::Answer::undecided;
    std::optional<Failure> failure;  // exactly if it fails
    std::uint64_t states = 0;
    bool beyond = false;  // a run went beyond the rounds that are tested
    bool waited = false;  // a run ended where a role waited in vain
    base::StopReason stopped = base::StopReason::none;
    std::string reason;  // undecided: why
};

// observer: null for the local verdict. All machines share an alphabet.
Compliance comply(const model::Machine& component, const std::vector<TestMachine>& test, Observer* observer,
                  const ComplianceOptions& options);

}  // namespace treaty::testgen
