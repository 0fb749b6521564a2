// The abstract tests of a role (`treaty tests`), to be executed against a program: one a session.
//
// Where there are more than sessions, some are drawn with the seed. Data is left to the tester.
#pragma once

#include <memory>
#include <string>

#include "cli/test_inputs.h"
#include "cli/tester_setup.h"
#include "drive/director.h"

namespace treaty::cli {

class AbstractTests {
public:
    // Null after reporting why there are none.
    static std::unique_ptr<AbstractTests> make(Session& session, const TestRequest& request,
                                               model::RoleId cut);

    // How many sessions there will be, when so many are wanted at most.
    std::uint64_t choose(std::uint64_t sessions, std::uint64_t seed);
    const testgen::Count& size() const { return cases_->size(); }
    // Safe from several threads.
    std::unique_ptr<drive::Director> director(std::uint64_t session) const;
    // What the case of this session fixes, one line a choice.
    std::vector<std::string> choices(const Session& session, std::uint64_t number) const;

private:
    AbstractTests() = default;

    TestOptions options_;
    std::optional<TestSource> source_;
    std::optional<testgen::TestSuite> suite_;
    std::optional<Cases> cases_;
    std::vector<testgen::Count> chosen_;
};

}  // namespace treaty::cli
