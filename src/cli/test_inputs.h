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
#include "testgen/dual.h"
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
    bool dual = false, wait = false;

    void add_to(CommandLine& line);
    testgen::Keep keep() const { return keep_all ? testgen::Keep::all : testgen::Keep::reachable; }
    testgen::Mixed mixed() const { return wait ? testgen::Mixed::also_wait : testgen::Mixed::send_first; }
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
    testgen::TestSuite suite(model::RoleId cut, const TestOptions& options) const {
        return testgen::TestSuite(*projections, cut, options.keep(), success, options.mixed());
    }
};

std::optional<TestSource> load_test_source(Session& session, const std::string& path,
                                           const TestOptions& options);
std::optional<TestSource> make_test_source(Session& session, ProtocolInput input, const TestOptions& options);

// The role's machine from a file of machines, or its projection from a protocol, in the source's alphabet.
std::optional<model::Machine> load_component(Session& session, const TestSource& source, model::RoleId role,
                                             const std::string& path);

// The cases of a role, of either kind, numbered.
class Cases {
public:
    Cases(const testgen::TestSuite& suite, const TestOptions& options);
    bool counted() const { return dual_ ? dual_->counted() : suite_.counted(); }
    const testgen::Count& size() const { return dual_ ? dual_->size() : suite_.size(); }
    testgen::TestCase at(const testgen::Count& index) const {
        return dual_ ? dual_->at(index) : suite_.at(index);
    }

private:
    const testgen::TestSuite& suite_;
    std::optional<testgen::DualSuite> dual_;
};

// Whether the time is over or somebody interrupted; then the answer is undecided and says so.
bool stopped(Session& session, const base::Deadline& deadline);

// A run of a component with a test, with the lines of its steps.
report::Run run_of_test(const Session& session, const TestSource& source, const model::Machine& component,
                        const std::vector<testgen::TestMachine>& test, const testgen::Failure& failure);

report::Json to_json(const testgen::Count& count);
// "2 rounds": how often each loop is unrolled.
std::string rounds(const TestSource& source);
// A machine in lines: "0 A B!x 1", the final states last.
std::string print_machine(const model::Machine& machine);
// What a case fixes, one line a choice.
std::vector<std::string> choices_of(const Session& session, const TestSource& source,
                                    const testgen::TestCase& test);

}  // namespace treaty::cli
