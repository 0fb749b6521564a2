#include "api/program/abstract_tests.h"

#include "api/codes.h"

namespace treaty::api {

std::unique_ptr<AbstractTests> AbstractTests::make(const Inquiry& inquiry, const std::string& file,
                                                   const std::string& protocol, model::RoleId cut) {
    std::unique_ptr<AbstractTests> tests(new AbstractTests);
    TestOptions options;
    options.protocol = protocol;
    // The file has been read before, so its warnings are in the answer already.
    Answer again;
    tests->source_ = load_test_source(Inquiry(inquiry.workspace, inquiry.context, again), file, options);
    inquiry.answer.documents.insert(inquiry.answer.documents.end(), again.documents.begin(),
                                    again.documents.end());
    if (!tests->source_) {
        if (again.verdict) {
            inquiry.undecided(again.reason);
            inquiry.answer.bound = again.bound;
        } else {
            inquiry.diagnostics().append(std::move(again.diagnostics));
        }
        return nullptr;
    }
    tests->suite_.emplace(tests->source_->suite(cut, options));
    tests->cases_.emplace(*tests->suite_, options);
    if (tests->cases_->counted()) return tests;
    inquiry.report(codes::no_meaning, "the test cases combine in too many ways to be counted")
        .help("--strategy coverage needs no cases");
    return nullptr;
}

std::uint64_t AbstractTests::choose(std::uint64_t sessions, std::uint64_t seed) {
    chosen_ = testgen::sample_cases(size(), sessions, seed);
    return chosen_.size();
}

std::unique_ptr<drive::Director> AbstractTests::director(std::uint64_t session) const {
    testgen::TestCase test = cases_->at(chosen_.at(session));
    std::vector<drive::Director::Player> players;
    for (testgen::TestMachine& one : test.machines)
        players.push_back({std::move(one.machine), std::move(one.success)});
    return std::make_unique<drive::Director>(std::move(players), suite_->cut());
}

std::vector<std::string> AbstractTests::choices(const Inquiry& inquiry, std::uint64_t number) const {
    return choices_of(inquiry.sources(), *source_, cases_->at(chosen_.at(number)));
}

}  // namespace treaty::api
