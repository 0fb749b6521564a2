// The abstract tests of a role (api/tests.h), to be executed against a program: one per session.
//
// Where there are more than sessions, some are drawn with the seed. Data is left to the tester.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "api/suite/test_source.h"
#include "drive/director.h"

namespace treaty::api {

class AbstractTests {
public:
    // Of the role `cut` of the file's protocol (the last one if none is named). Null after reporting why
    // there are none.
    static std::unique_ptr<AbstractTests> make(const Inquiry& inquiry, const std::string& file,
                                               const std::string& protocol, model::RoleId cut);

    // How many sessions there will be, when so many are wanted at most.
    std::uint64_t choose(std::uint64_t sessions, std::uint64_t seed);
    const Count& size() const { return cases_->size(); }
    // Safe from several threads.
    std::unique_ptr<drive::Director> director(std::uint64_t session) const;
    // What the case of this session fixes, one line per choice.
    std::vector<std::string> choices(const Inquiry& inquiry, std::uint64_t number) const;

private:
    AbstractTests() = default;

    std::optional<TestSource> source_;
    std::optional<testgen::TestSuite> suite_;
    std::optional<Cases> cases_;
    std::vector<Count> chosen_;
};

}  // namespace treaty::api
