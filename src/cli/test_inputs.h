// What the verbs about tests work on: a protocol's projections, components, and how they are to be judged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/channel_options.h"
#include "cli/inputs.h"
#include "testgen/comply.h"
#include "testgen/oracle.h"
#include "testgen/projections.h"
#include "testgen/test_suite.h"

namespace treaty::cli {

// The options that say which tests there are.
struct TestOptions {
    std::string protocol;
    std::optional<std::uint64_t> times;
    bool keep_all = false;
    std::string success;

    void add_to(CommandLine& line);
    testgen::Keep keep() const { return keep_all ? testgen::Keep::all : testgen::Keep::reachable; }
};

// The options that say how they are judged.
struct JudgeOptions {
    ChannelOptions channels;
    std::string oracle = "global";
    std::string empty;
    bool observe_final = false;

    void add_to(CommandLine& line);
    bool global() const { return oracle == "global"; }
    // Nothing after reporting what is wrong.
    std::optional<testgen::ComplianceOptions> read(Session& session, const model::Alphabet& alphabet) const;
};

// A protocol and what its tests are made from. Its parts point at one another and stay where they are.
struct TestSource {
    std::unique_ptr<ProtocolInput> input;
    std::unique_ptr<testgen::Projections> projections;
    testgen::SuccessStates success;
    std::uint32_t times = 0;  // rounds of each loop

    const model::Alphabet& alphabet() const { return *input->specification.alphabet; }
    testgen::TestSuite suite(model::RoleId cut, testgen::Keep keep) const {
        return testgen::TestSuite(*projections, cut, keep, success);
    }
};

std::optional<TestSource> load_test_source(Session& session, const std::string& path,
                                           const TestOptions& options);
std::optional<TestSource> make_test_source(Session& session, ProtocolInput input, const TestOptions& options);

// The role's machine from a file of machines, or its projection from a protocol, in the source's alphabet.
std::optional<model::Machine> load_component(Session& session, const TestSource& source, model::RoleId role,
                                             const std::string& path);

// A run of a component with a test, with the lines of its steps.
report::Run run_of_test(const Session& session, const TestSource& source, const model::Machine& component,
                        const std::vector<testgen::TestMachine>& test, const testgen::Failure& failure);

report::Json to_json(const testgen::Count& count);
// What a case fixes, one line a choice.
std::vector<std::string> choices_of(const Session& session, const TestSource& source,
                                    const testgen::TestCase& test);

}  // namespace treaty::cli
