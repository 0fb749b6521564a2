// comply: does a component pass the tests of its role?
//
// The tests are those of files (api/suite/test_files.h) or of a protocol, made on the spot. The component is
// a machine, or a protocol whose projection is taken; it is run with each case through every order of events
// that the channels allow (testgen/comply.h). If it passes all cases of a protocol, what a role sees that
// waits where it could send is looked at, too, and a case that fails there is added.
//
// The verdict: fails if a case does, with the shortest run that fails as the witness; undecided if one is, or
// if a limit was reached; else holds. At most 100,000 cases are run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/suite/judging.h"
#include "api/suite/test_source.h"
#include "api/workspace.h"
#include "testgen/comply.h"

namespace treaty::api {

struct ComplyQuestion {
    std::string machine;  // a file of machines, or a protocol
    std::string tests;    // a file or folder of tests, or a protocol
    std::string cut;      // the role that is tested, if `tests` is a protocol
    TestOptions which;    // of a protocol
    JudgeOptions judge;
    std::optional<std::uint64_t> first;   // of a protocol's cases only the first so many
    std::optional<std::uint64_t> sample;  // or so many drawn with the seed
};

struct JudgedCase {
    std::optional<Count> number;  // none: a case that was added, in which a role waits
    Verdict verdict = Verdict::undecided;
    std::uint64_t states = 0;
    bool beyond = false;                       // a run went beyond the rounds that are tested
    bool waited = false;                       // a run ended while a role still waited
    std::string reason;                        // why it fails or is undecided
    std::vector<std::string> choices;          // what the case fixes, if it fails
    std::optional<testgen::FailureKind> kind;  // of failure
    std::optional<model::Run> run;             // that fails
};

struct ComplyAnswer : Answer {
    std::optional<TestKind> kind;   // of the tests; none: there are none
    std::vector<JudgedCase> cases;  // as far as there was time
    std::size_t passed = 0, failed = 0;
    std::size_t undecided = 0;           // with those that were not looked at
    std::size_t beyond = 0, waited = 0;  // how many cases are so
    std::uint32_t rounds = 0;            // of each loop, that are tested
};

ComplyAnswer comply(const Workspace& workspace, const ComplyQuestion& question, const Context& context);

}  // namespace treaty::api
