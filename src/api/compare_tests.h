// compare_tests: how many mutants of a role the two kinds of tests kill, by the two verdicts.
//
// Asked like `mutate` (api/mutate.h); which kind of tests, which verdict and which files of tests the
// question names plays no part. It always holds.
#pragma once

#include <cstdint>
#include <vector>

#include "api/mutate.h"

namespace treaty::api {

struct ComparedTests {
    TestKind kind = TestKind::roles;
    bool global = true;     // verdict
    std::size_t tests = 0;  // how many
    MutantCounts mutants;
};

struct CompareTestsAnswer : Answer {
    std::size_t mutants = 0;
    std::vector<ComparedTests> rows;
};

CompareTestsAnswer compare_tests(const Workspace& workspace, const MutateQuestion& question,
                                 const Context& context);

}  // namespace treaty::api
