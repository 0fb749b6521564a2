// What `mutate` and `compare_tests` begin with: a role, its mutants, and cases to run them with.
#pragma once

#include <optional>
#include <vector>

#include "api/inquiry.h"
#include "api/mutate.h"

namespace treaty::api {

// The suite points into the source, which stays where it is when this moves.
struct MutationSetup {
    TestSource source;
    testgen::TestSuite suite;
    testgen::ComplianceOptions judging;

    model::RoleId cut() const { return suite.cut(); }
};

// Nothing after reporting a fault.
std::optional<MutationSetup> load_mutation(const Inquiry& inquiry, const MutateQuestion& question);

std::vector<testgen::Mutant> make_mutants(const Inquiry& inquiry, const MutationSetup& setup,
                                          MutationLevel level);

// All cases of the protocol of the kind that `options` names, or some if there are too many.
std::optional<std::vector<testgen::TestCase>> sample_tests(const Inquiry& inquiry, const MutationSetup& setup,
                                                           const TestOptions& options,
                                                           std::optional<std::uint64_t> sample);

}  // namespace treaty::api
