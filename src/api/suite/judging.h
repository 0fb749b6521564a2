// How a component is judged by the tests of a role: the component, the channels, and the verdict that is
// meant.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/inquiry.h"
#include "api/suite/test_source.h"
#include "model/run.h"
#include "model/system.h"
#include "testgen/comply.h"

namespace treaty::api {

struct JudgeOptions {
    model::Channels channels;
    bool global = true;  // what all roles saw must be one run of the protocol; else each role by itself
    // Channels that must be empty when a test succeeds, by their roles: {"A", "B"} is A->B. None: all.
    std::optional<std::vector<std::pair<std::string, std::string>>> empty;
    bool observe_final = false;  // see whether the component itself has ended, too
};

// For the engine, with the limits of the context; nothing after reporting a channel that is not one.
std::optional<testgen::ComplianceOptions> compliance_options(const Inquiry& inquiry,
                                                             const JudgeOptions& options,
                                                             const model::Alphabet& alphabet);

// The role's machine from a file of machines, or its projection from a protocol, in the source's alphabet.
std::optional<model::Machine> load_component(const Inquiry& inquiry, const TestSource& source,
                                             model::RoleId role, const std::string& path);

// Whether the time is over or a stop was requested; then the answer is undecided, with the reason.
bool stopped(const Inquiry& inquiry);

// A run of a component with a test, with the lines of its steps.
model::Run run_of_test(const base::SourceMap& sources, const TestSource& source,
                       const model::Machine& component, const std::vector<testgen::TestMachine>& test,
                       const testgen::Failure& failure);

}  // namespace treaty::api
