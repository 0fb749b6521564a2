// tests: the abstract tests of roles, made from the protocol.
//
// A test of a role plays all other roles, each with its choices fixed; the tests are all combinations
// (testgen/test_suite.h), or mirrors of the role (testgen/dual.h). They are counted, and some or all of them
// are made. Every case that is made is run with the role's own projection, which must pass it: else the case
// is not suitable (testgen/comply.h). Other machines can be run with them, too.
//
// The verdict: with `check`, whether all cases are suitable; else it holds once all are made. Undecided if
// the cases cannot be counted, or a limit was reached. Not more than 100,000 cases per role are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/suite/judging.h"
#include "api/suite/test_files.h"
#include "api/suite/test_source.h"
#include "api/workspace.h"
#include "testgen/case_order.h"

namespace treaty::api {

struct TestsQuestion {
    std::string file;
    std::string cuts;  // the roles to be tested: "A", "A,B"
    TestOptions tests;
    JudgeOptions judge;
    bool count_only = false;
    std::optional<std::uint64_t> first;   // take the first so many
    std::optional<std::uint64_t> sample;  // or draw so many with the seed
    bool by_coverage = false;             // take those first that cover most transitions of the role
    bool check = false;                   // is every case suitable?
    std::vector<std::string> against;     // ROLE=FILE: run them with this machine, too
};

struct TestsOfRole {
    std::string role;
    Count count;                              // of all its cases
    std::vector<testgen::OrderedCase> order;  // of those that are taken, if by coverage
    std::size_t transitions = 0;              // of the role's machine
    // The cases that were taken; null if they were only counted, or not all of them were made and judged.
    std::shared_ptr<const RoleTests> tests;
    // By case: why the role's projection does not pass it; empty if it does. None: not asked (see `check`) or
    // not completed.
    std::optional<std::vector<std::string>> unsuitable;
};

// A machine and the cases that were run with it.
struct TestedMachine {
    std::string component;  // a file, or "projection"
    std::string roles;
    std::size_t tests = 0, failed = 0, undecided = 0;
};

struct TestsAnswer : Answer {
    std::vector<TestsOfRole> roles;  // as far as it went
    std::optional<Count> total;      // of the cases of all roles; none: not all were looked at
    bool data_left_aside = false;    // a condition of the protocol is a choice of the role that sends next
    std::vector<TestedMachine> machines;  // none: none was asked about, or not all cases were looked at
};

TestsAnswer tests(const Workspace& workspace, const TestsQuestion& question, const Context& context);

}  // namespace treaty::api
