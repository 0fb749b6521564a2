// test: does a program that plays one role of a protocol conform to the protocol?
//
// The tester plays the other roles, for many sessions (campaign/campaign.h). Failures that are kept from
// before are tried first. A failure that is found is made small, kept in the store, and is the witness.
// Without a failure the verdict is that of api/program/campaign_verdict.h; how much of the component's part
// was seen is in the answer.
//
// Each of several sessions at once has its own copy of the specification, which is read once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/program/kept_failures.h"
#include "api/program/test_details.h"
#include "api/program/tested_coverage.h"
#include "api/program/tester_setup.h"
#include "api/suite/test_source.h"
#include "api/workspace.h"
#include "drive/session_result.h"

namespace treaty::api {

// A failure; several sessions that failed for the same cause are one.
struct TestFinding {
    drive::Problem problem = drive::Problem::none;
    std::string reason;
    model::Run run;                         // made small, unless that was not wanted
    std::vector<std::string> explanations;  // where the component may have been
    struct Step {
        std::uint32_t line = 0;
        std::string text;  // of the line
    };
    std::vector<Step> expected;
    std::optional<std::size_t> answers;  // see drive::SessionResult
    std::string errors;                  // the end of the component's standard error
    // With a component that is kept: how many sessions the run has, and in which of them each of its events
    // is, from 0.
    std::uint32_t sessions = 1;
    std::vector<std::uint32_t> session_of;

    std::uint64_t session = 0, count = 1;  // the first that failed so, and how many did
    std::int64_t number = 0;               // where failures are kept; 0: it could not be kept
    bool known_before = false;             // it was kept from before
    struct Shrinking {
        std::size_t from = 0;                  // messages of the run as it was found
        std::uint32_t earlier = 0;             // sessions before it that it takes
        std::size_t tries = 0;                 // runs that it took
        std::size_t repeated = 0, failed = 0;  // how often the small run was tried again, and failed
        std::string gone;                      // why it could not be tried any more
    };
    std::optional<Shrinking> shrunk;
    std::string saved;  // the run as a text that `replay` reads (api/program/saved_run.h)
    std::string file;   // where the caller has written that to; empty: nowhere
};

// For a caller that shows a campaign while it runs. Called by one thread at a time, between two sessions, so
// it should return soon. Each may be empty.
struct TestObserver {
    // Before the first session, and each time when something was seen for the first time.
    std::function<void(const TestDetails&)> seen;
    // A failure with a new cause, as it was found: it is made small later.
    std::function<void(const TestFinding&)> found;
};

struct TestQuestion {
    TestRequest test;
    TestedComponent component;
    // How long the component may take to be ready. None: 60 seconds, or 5 where it should run already.
    std::optional<std::chrono::milliseconds> startup;
    std::uint64_t sessions = 100;            // at most
    bool keep_going = false;                 // after a failure
    std::optional<unsigned> until_coverage;  // ends when so much of the steps has been seen, per cent
    bool shrink = true;
    std::string store;     // where failures are kept; empty: campaign::FailureStore::default_path
    bool details = false;  // see TestAnswer::details
    TestObserver observer = {};
};

struct TestNumbers {
    // Each session is completed, failed or unfinished (campaign/campaign.h).
    std::uint64_t sessions = 0, completed = 0, failed = 0, unfinished = 0;
    std::uint64_t messages = 0, ended = 0, nothing_sent = 0;
    std::uint64_t solver_calls = 0;  // for the data of what was sent
    std::size_t possibilities = 0;
    std::size_t covered = 0, steps = 0;                        // steps of the component's part
    std::vector<std::pair<std::uint64_t, std::size_t>> curve;  // sessions run, steps seen
    bool time_up = false;
};

// The abstract tests of the role, one per session.
struct ExecutedTests {
    Count cases;
    std::uint64_t executed = 0, ended = 0;
};

struct FieldCombinations {
    unsigned strength = 2;
    std::size_t covered = 0, refused = 0, total = 0;
};

// A session of a campaign.
struct TestedSession {
    std::uint64_t number = 0;
    std::string outcome;  // "completed", "unfinished", or the problem
    bool failed = false;
    std::size_t messages = 0;
    std::uint64_t sent_bytes = 0, received_bytes = 0;  // to the component, and from it
    double seconds = 0;                                // with starting the component
};

struct TestAnswer : Answer {
    std::string protocol, component;  // the names of the protocol and of the component's role
    std::string store;                // where failures are kept
    std::uint64_t seed = 0;
    Strategy strategy = Strategy::random;
    std::optional<std::vector<KeptFailure>> kept;  // those from before; none: there is no store
    std::optional<TestNumbers> numbers;            // none: no session was tried
    std::optional<TestedCoverage> coverage;        // none: no session was run
    std::optional<ExecutedTests> tests;            // with the strategy `tests`
    std::optional<std::map<std::string, std::uint64_t>>
        challenges;                                 // with `negative`: what was sent, how often
    std::optional<FieldCombinations> combinations;  // with `pairs` and `triples`
    std::optional<std::vector<TestFinding>>
        findings;                                   // the first is the witness; none: no component was there
    std::optional<double> failure_rate;             // see CampaignVerdict
    std::optional<TestDetails> details;             // if they are wanted
    std::vector<TestedSession> records;             // with the details, the first thousand of them
    std::chrono::system_clock::time_point started;  // of the first session
    double seconds = 0;                             // of the sessions and of making findings small
};

TestAnswer test_component(const Workspace& workspace, const TestQuestion& question, const Context& context);

}  // namespace treaty::api
