// What the tests of a role are made from: a protocol with its loops unrolled, and the machines of its roles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "testgen/dual.h"
#include "testgen/projections.h"
#include "testgen/test_suite.h"

namespace treaty::api {

using testgen::Count;

enum class TestKind : std::uint8_t {
    roles,  // a test has a machine for each other role (testgen/test_suite.h)
    dual,   // a test is one machine that mirrors the component (testgen/dual.h)
};
std::string_view to_string(TestKind kind);  // "roles", "dual"

// Which tests are meant.
struct TestOptions {
    std::string protocol;     // empty: the last one of the file
    std::uint64_t times = 2;  // rounds of each loop at most; a thousand at most
    testgen::Keep keep = testgen::Keep::reachable;
    testgen::Mixed mixed = testgen::Mixed::send_first;
    TestKind kind = TestKind::roles;
    // A test has succeeded after this step: LINE, LINE:COLUMN or the name of a rec block. Empty: at the end.
    std::string success;
};

// A protocol and what its tests are made from. Its parts point at one another and stay where they are when it
// moves.
struct TestSource {
    std::unique_ptr<ProtocolInput> input;
    std::unique_ptr<testgen::Projections> projections;
    testgen::SuccessStates success;
    std::uint32_t times = 0;  // rounds of each loop

    const model::Alphabet& alphabet() const { return *input->specification.alphabet; }
    std::string name(model::RoleId role) const { return std::string(alphabet().name(role)); }
    // The source must outlive it.
    testgen::TestSuite suite(model::RoleId cut, const TestOptions& options) const {
        return testgen::TestSuite(*projections, cut, options.keep, success, options.mixed);
    }
};

// Nothing after reporting a fault, or after deciding that the answer is "undecided".
std::optional<TestSource> load_test_source(const Inquiry& inquiry, const std::string& path,
                                           const TestOptions& options);
std::optional<TestSource> make_test_source(const Inquiry& inquiry, ProtocolInput input,
                                           const TestOptions& options);

// The cases of a role, of either kind, numbered. The suite must outlive it.
class Cases {
public:
    Cases(const testgen::TestSuite& suite, const TestOptions& options);
    bool counted() const { return dual_ ? dual_->counted() : suite_.counted(); }
    const Count& size() const { return dual_ ? dual_->size() : suite_.size(); }
    testgen::TestCase at(const Count& index) const { return dual_ ? dual_->at(index) : suite_.at(index); }

private:
    const testgen::TestSuite& suite_;
    std::optional<testgen::DualSuite> dual_;
};

// What a case fixes, one line per choice: "B sends denied to A, not granted (line 9)".
std::vector<std::string> choices_of(const base::SourceMap& sources, const TestSource& source,
                                    const testgen::TestCase& test);

// A count as JSON carries it: as a number if every reader keeps it exactly, else as its digits.
std::variant<std::uint64_t, std::string> exact_in_json(const Count& count);

}  // namespace treaty::api
