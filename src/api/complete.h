// complete: is a system correct, for all that it might do? Tested until it is refuted or proved correct.
//
// A specification, and a fault domain of what the system might be (any process over the alphabet, if
// nothing is known), give tests that decide: a system of the domain that passes all of them refines the
// specification (complete/online.h). The system is a model, or a program that is offered events line by line
// (complete/program_sut.h). With `plan` the tests are only listed.
//
// Verdict of testing: fails with the test that failed; holds when nothing of the domain is left that would be
// wrong; undecided at a limit. Of a plan: holds if it is complete; fails if there is no finite complete one;
// else undecided. At most 5,000,000 traces, unless the context has another limit on states.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/completion/tested_alphabet.h"
#include "api/context.h"
#include "api/models/processes.h"
#include "api/workspace.h"
#include "complete/online.h"
#include "explore/refine/refine.h"
#include "process/surroundings.h"

namespace treaty::api {

struct CompleteAnswer;

enum class TestEnds : std::uint8_t { automatic, always, never };  // automatic: if a model can end

struct CompleteQuestion {
    // A CSPM script, or any file with a machine; a process of the script, or a role (empty: the last one, or
    // all of it).
    std::string file = {}, specification = {};
    std::string domain = {};  // a process, a file, or "mutants"; empty: any process over the alphabet
    std::string sut = {};     // a process, a model's file, a command, or an address; may be empty for a plan
    std::string via = {};     // where the command is reached; empty: its standard input and output
    process::Surroundings surroundings = {};                          // of the command
    explore::Observation observation = explore::Observation::traces;  // or failures
    TestEnds ends = TestEnds::automatic;
    std::string alphabet = {};  // events of the script beside those of the models, as a set; empty: all
    std::vector<std::string> events = {};     // more events of the alphabet
    std::optional<std::uint64_t> tests = {};  // stop after this many
    bool sharp = false;                       // exclude the shortest prefix that was refused: fewer tests

    // Of programs.
    std::uint64_t times = 1;       // run each test this often; the verdicts are taken together
    bool silence_refuses = false;  // one that does not answer in time refuses
    bool keep = false;             // reset it between tests instead of starting it again
    // How long an answer may take; none: 10 s, or 2 s if silence is an answer.
    std::optional<std::chrono::milliseconds> patience = {};

    bool plan = false;                         // only list the tests
    std::optional<std::uint64_t> length = {};  // of traces of a plan, at most
    std::string script = {};  // the path that a plan as a .csp file is for; empty: not wanted

    // Called when it is known what is tested and whether that ends, before the first test; may be empty.
    std::function<void(const CompleteAnswer&)> before_tests = {};
};

// Whether testing ends for every correct system that is finite.
struct TestingEnds {
    std::optional<bool> ends;  // none: that cannot be known beforehand
    std::string why;           // it is not known
    // If not: after the events of `way` those of `cycle` can go on for ever without a test.
    std::vector<model::LabelId> way, cycle;
};

// What testing has found, however it ended.
struct TestingReport {
    std::uint64_t tests = 0;
    std::uint64_t excluded = 0;      // traces that are no longer in the domain
    std::uint64_t waiting = 0;       // traces that are left
    std::uint64_t domain_size = 0;   // states
    std::string domain;              // what is left of it, as a process; only if that is short
    std::size_t length = 0;          // all tests of shorter traces are done
    std::vector<complete::Ran> ran;  // the first 1,000
    // A trace after which it can run silently for ever, which no test sees.
    std::optional<std::vector<model::LabelId>> silent_after;
};

struct CompleteAnswer : Answer {
    std::vector<ProcessName> chosen;               // files without a name, and the definition that was taken
    std::shared_ptr<const model::Alphabet> names;  // of all labels here
    bool ends_unknown = false;                     // a model may end, but one of the notations has no ends
    std::string domain_name;
    std::optional<TestedEvents> alphabet;
    std::optional<TestingEnds> testing_ends;
    std::optional<std::vector<complete::Test>> plan;
    std::optional<std::string> script;  // the plan as processes, if it was asked for and there is a script
    std::optional<TestingReport> testing;
};

CompleteAnswer complete(const Workspace& workspace, const CompleteQuestion& question, const Context& context);

}  // namespace treaty::api
