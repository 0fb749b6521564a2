// What becomes of mutants: killed by a test, or not, and why not.
//
// Each mutant has one fate:
// - killed: a test fails; which, and how, is kept. If all cases of the protocol are passed, but a tester with
//   all choices open would see something wrong, the case that its run is of: one in which a role waits where
//   it could send (split.h). If it goes wrong only in later rounds of a loop, a test with those rounds.
// - equivalent: it refines the projection: it only makes fewer of its own choices, so it is correct. Edges
//   that it never takes with the other roles, whatever they choose, are left aside in this; and it may take
//   more rounds of a loop than the tests do, if the protocol has them.
// - unobservable: it passes with all choices of all other roles open and everything they see compared with
//   the protocol. Every run of it with them was looked at, so no tester that keeps to the protocol can tell.
// - survived: none of these: the tests are too few, or do not look closely enough.
// - undecided: a limit was reached; or it takes more rounds than the tests do, and nothing wrong was found
//   there; or data matters, no difference was found with the values chosen, and nothing was proved.
// If the tests are all cases of the protocol, mutants are run with all choices open, which is all cases at
// once, and the case is found by the run that fails (follow.h); else with one test after the other. A change
// of data is judged with data (judge_with_data.h); so is a change of steps in a protocol with data, if
// without data it would be right: where a condition is not a choice it may be wrong. Mutants are judged in
// parallel, except with data; the result does not depend on how many threads there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testgen/comply.h"
#include "testgen/mutants.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

enum class Fate : std::uint8_t { killed, equivalent, unobservable, survived, undecided };
std::string_view to_string(Fate fate);

struct MutantVerdict {
    Fate fate = Fate::undecided;
    std::size_t test = 0;              // killed: position in the tests
    std::optional<TestCase> own_test;  // what the failure is with, if it is not one of the tests
    std::optional<Failure> failure;    // killed: how; survived: what a tester with all choices open would see
    std::string explanation;           // of the fate, in one line
    // What the failure is with, if it is one of the mutant with values.
    std::shared_ptr<const DataSetting> setting;
    bool more_rounds = false;  // equivalent, though perhaps with more rounds of a loop than the tests have
};

struct MutationOptions {
    ComplianceOptions compliance;
    bool global = true;
    unsigned jobs = 1;
    bool every_case = false;  // the tests are all cases of the protocol that make no role wait
};

// The edges of the component that it takes in some run with these machines; nothing beyond the limit.
std::optional<TakenEdges> taken_edges(const model::Machine& component, const std::vector<TestMachine>& others,
                                      const model::Channels& channels, std::size_t limit = 200'000);

// component: the projection. whole: the other roles with all their choices (TestSuite::whole()).
std::vector<MutantVerdict> judge_mutants(const Projections& projections, model::RoleId cut,
                                         const std::vector<Mutant>& mutants,
                                         const std::vector<TestCase>& tests, const TestCase& whole,
                                         const MutationOptions& options);

}  // namespace treaty::testgen
