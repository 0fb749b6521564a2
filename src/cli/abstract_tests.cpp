#include "cli/abstract_tests.h"

#include <fmt/format.h>

#include "cli/codes.h"

namespace treaty::cli {

std::unique_ptr<AbstractTests> AbstractTests::make(Session& session, const TestRequest& request,
                                                   model::RoleId cut) {
    std::unique_ptr<AbstractTests> tests(new AbstractTests);
    tests->options_.protocol = request.protocol;
    Session aside("tests");  // the file has been read before: its warnings were said
    aside.options = session.options;
    auto source = load_test_source(aside, request.file, tests->options_);
    if (!source) {
        session.diagnostics.append(std::move(aside.diagnostics));
        return nullptr;
    }
    tests->source_ = std::move(source);
    tests->suite_.emplace(tests->source_->suite(cut, tests->options_));
    tests->cases_.emplace(*tests->suite_, tests->options_);
    if (tests->cases_->counted()) return tests;
    session.report(codes::no_meaning, "the test cases meet in too many ways to be counted")
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

std::vector<std::string> AbstractTests::choices(const Session& session, std::uint64_t number) const {
    return choices_of(session, *source_, cases_->at(chosen_.at(number)));
}

}  // namespace treaty::cli
