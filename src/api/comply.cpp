#include "api/comply.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/suite/test_files.h"
#include "base/wording.h"
#include "testgen/codes.h"
#include "testgen/follow.h"
#include "testgen/observer.h"

namespace treaty::api {
namespace {

constexpr std::size_t most_cases = 100'000;

// The role whose tests of a protocol are asked for.
std::optional<model::RoleId> tested_role(const Inquiry& inquiry, const TestSource& source,
                                         const std::string& cut) {
    if (cut.empty()) {
        inquiry.report(codes::bad_usage, "a protocol has tests of every role: name one with --cut");
        return std::nullopt;
    }
    auto roles = choose_roles(inquiry, source.input->specification, *source.input->protocol, cut);
    if (!roles) return std::nullopt;
    if (roles->size() == 1) return roles->front();
    inquiry.report(codes::bad_usage, "--cut must name one role");
    return std::nullopt;
}

// The tests of a protocol, made on the spot.
std::optional<RoleTests> make_tests(const Inquiry& inquiry, const ComplyQuestion& question) {
    auto loaded = load_test_source(inquiry, question.tests, question.which);
    auto role = loaded ? tested_role(inquiry, *loaded, question.cut) : std::nullopt;
    if (!role) return std::nullopt;
    auto source = std::make_shared<const TestSource>(std::move(*loaded));
    testgen::TestSuite suite = source->suite(*role, question.which);
    Cases all(suite, question.which);
    std::uint64_t wanted = question.sample.value_or(question.first.value_or(most_cases));
    bool limited = question.first || question.sample;
    if (!all.counted() || wanted > most_cases || (!limited && all.size() > Count(most_cases))) {
        inquiry
            .report(testgen::codes::too_many_cases,
                    fmt::format("there are {} cases, and at most {} are run",
                                all.counted() ? all.size().get_str() : "too many", most_cases))
            .help("--first N or --sample N takes some of them");
        return std::nullopt;
    }
    auto numbers = question.sample ? testgen::sample_cases(all.size(), wanted, inquiry.context.seed)
                                   : testgen::first_cases(all.size(), wanted);
    RoleTests tests;
    tests.source = source;
    tests.cut = *role;
    tests.whole_run = suite.whole_run();
    tests.kind = question.which.kind;
    tests.size = all.size();
    for (const Count& number : numbers) {
        tests.cases.push_back(all.at(number));
        tests.choices.push_back(choices_of(inquiry.sources(), *source, tests.cases.back()));
    }
    tests.every_case = tests.kind == TestKind::roles && all.size() == Count(tests.cases.size());
    return tests;
}

// False after reporting that the tests are not those that were asked for.
bool fit(const Inquiry& inquiry, const ComplyQuestion& question, const RoleTests& tests) {
    std::string role = tests.source->name(tests.cut);
    if (!question.cut.empty() && question.cut != role) {
        inquiry.report(codes::bad_usage,
                       fmt::format("{} tests {}, not {}", question.tests, role, question.cut));
        return false;
    }
    if (question.which.kind == TestKind::dual && tests.kind != TestKind::dual) {
        inquiry.report(
            codes::bad_usage,
            fmt::format("{} contains tests that play the other roles, not --dual tests", question.tests));
        return false;
    }
    return true;
}

// One component and all cases, judged one by one.
class Judge {
public:
    Judge(const Inquiry& inquiry, ComplyAnswer& answer, RoleTests& tests, const model::Machine& component,
          testgen::ComplianceOptions options, bool global)
        : inquiry_(inquiry),
          answer_(answer),
          tests_(tests),
          component_(component),
          options_(std::move(options)),
          global_(global),
          observer_(*tests.source->projections, tests.cut, options_.channels, inquiry.context.deadline) {
        options_.whole_run = tests.whole_run;
        options_.rounds = tests.source->projections.get();
    }

    void run() {
        std::size_t number = tests_.cases.size();
        for (std::size_t i = 0; i < number; ++i) {
            // What was not looked at is not decided.
            if (stopped(inquiry_)) {
                answer_.undecided += number - i;
                break;
            }
            if (inquiry_.context.progress)
                inquiry_.context.progress(CountProgress{"judging cases", i, number, {}});
            judge(i);
        }
        if (answer_.failed == 0 && tests_.every_case && global_ && add_waiting())
            judge(tests_.cases.size() - 1);
    }

private:
    void judge(std::size_t i) {
        const testgen::TestCase& test = tests_.cases[i];
        auto verdict = testgen::comply(component_, test.machines, global_ ? &observer_ : nullptr, options_);
        JudgedCase& judged = answer_.cases.emplace_back();
        if (test.index >= 0) judged.number = test.index;
        judged.verdict = verdict.answer;
        judged.states = verdict.states;
        judged.beyond = verdict.beyond;
        judged.waited = verdict.waited;
        if (verdict.answer == Verdict::holds) ++answer_.passed;
        if (verdict.beyond) ++answer_.beyond;
        if (verdict.waited) ++answer_.waited;
        if (verdict.answer == Verdict::undecided) {
            ++answer_.undecided;
            judged.reason = verdict.reason;
        }
        if (!verdict.failure) return;
        ++answer_.failed;
        judged.reason = verdict.failure->reason;
        judged.kind = verdict.failure->kind;
        judged.choices = tests_.choices[i];
        judged.run =
            run_of_test(inquiry_.sources(), *tests_.source, component_, test.machines, *verdict.failure);
        if (!answer_.witness || judged.run->events.size() < answer_.witness->events.size())
            answer_.witness = judged.run;
    }

    // A role that can send and receive in one state sends first in these cases. What that hides shows with
    // all choices open; then there is a case in which a role waits, and it is added.
    bool add_waiting() {
        constexpr std::uint64_t most_states = 200'000;
        testgen::TestSuite suite = tests_.source->suite(tests_.cut, {});
        auto others = suite.others();
        if (std::none_of(others.begin(), others.end(),
                         [](const model::Machine* machine) { return testgen::may_wait(*machine); }))
            return false;
        testgen::ComplianceOptions options = options_;
        options.limits.states = std::min<std::uint64_t>(options.limits.states, most_states);
        testgen::TestCase whole = suite.whole();
        auto open = testgen::comply(component_, whole.machines, &observer_, options);
        if (!open.failure) return false;
        tests_.cases.push_back(testgen::follow(whole, open.failure->run));
        tests_.choices.push_back(choices_of(inquiry_.sources(), *tests_.source, tests_.cases.back()));
        return true;
    }

    const Inquiry& inquiry_;
    ComplyAnswer& answer_;
    RoleTests& tests_;
    const model::Machine& component_;
    testgen::ComplianceOptions options_;
    bool global_;
    testgen::Observer observer_;
};

}  // namespace

ComplyAnswer comply(const Workspace& workspace, const ComplyQuestion& question, const Context& context) {
    ComplyAnswer answer;
    answer.inputs = {question.machine, question.tests};
    Inquiry inquiry(workspace, context, answer);
    auto tests = holds_tests(workspace, question.tests) ? load_tests(inquiry, question.tests)
                                                        : make_tests(inquiry, question);
    if (!tests || !fit(inquiry, question, *tests)) return answer;
    answer.kind = tests->kind;
    answer.rounds = tests->source->times;
    auto options = compliance_options(inquiry, question.judge, tests->source->alphabet());
    auto component =
        options ? load_component(inquiry, *tests->source, tests->cut, question.machine) : std::nullopt;
    if (!component) return answer;
    Judge(inquiry, answer, *tests, *component, std::move(*options), question.judge.global).run();
    answer.verdict = answer.failed > 0      ? Verdict::fails
                     : answer.undecided > 0 ? Verdict::undecided
                                            : Verdict::holds;
    answer.reason = fmt::format("{} passes {} of {}", tests->source->name(tests->cut), answer.passed,
                                base::counted(tests->cases.size(), "test"));
    if (answer.undecided > 0) answer.bound.add("undecided", std::uint64_t{answer.undecided});
    return answer;
}

}  // namespace treaty::api
