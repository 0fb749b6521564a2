#include "api/complete.h"

#include <fmt/format.h>

#include "api/completion/completion_setup.h"
#include "api/completion/test_script.h"
#include "base/wording.h"
#include "complete/codes.h"

namespace treaty::api {
namespace {

using base::counted;
using model::LabelId;

constexpr std::size_t most_listed = 1000;               // tests in the answer
constexpr std::uint64_t default_planned = 100'000;      // tests
constexpr std::uint64_t default_planned_length = 1000;  // events

const base::Code& code_of(complete::WorldFault fault) {
    switch (fault) {
        case complete::WorldFault::start: return complete::codes::sut_start;
        case complete::WorldFault::gone: return complete::codes::sut_gone;
        case complete::WorldFault::silent: return complete::codes::sut_silent;
        case complete::WorldFault::nonsense:
        case complete::WorldFault::none: break;
    }
    return complete::codes::sut_nonsense;
}

TestingEnds testing_ends(const complete::Product& product) {
    if (!product.complete()) return {std::nullopt, product.why(), {}, {}};
    auto lasso = product.endless();
    if (!lasso) return {true, {}, {}, {}};
    return {false, {}, lasso->way, lasso->cycle};
}

// The events up to what the test has found, the wrong one last.
model::Run witness_of(const model::Alphabet& names, const complete::Test& test, const std::string& reason) {
    std::vector<LabelId> trace = test.trace;
    bool event = test.kind == complete::TestKind::trace && test.offer[0].index != 0;
    if (event) trace.push_back(test.offer[0]);
    model::Run run = run_of(names, trace);
    if (event) run.failing = trace.size() - 1;
    run.ending = reason;
    return run;
}

class Completer {
public:
    Completer(const Inquiry& inquiry, const CompleteQuestion& question, CompleteAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer), setup_(inquiry, question, answer) {}

    void run() {
        if (!setup_.make()) return;
        if (question_.plan) return plan();
        answer_.testing_ends = testing_ends(setup_.product());
        if (question_.before_tests) question_.before_tests(answer_);
        test();
    }

private:
    void plan() {
        complete::Plan made =
            complete::plan(setup_.product(), question_.tests.value_or(default_planned),
                           question_.length.value_or(default_planned_length), inquiry_.context.deadline);
        answer_.plan = std::move(made.tests);
        if (!question_.script.empty() && setup_.script()) {
            answer_.script = test_script(inquiry_, setup_.names(), *answer_.plan, *setup_.script(),
                                         question_.file, question_.script);
            if (!answer_.script) return;
        }
        std::size_t count = answer_.plan->size();
        auto cycle = setup_.product().complete() ? setup_.product().unbounded() : std::nullopt;
        if (made.complete)
            inquiry_.holds(
                fmt::format("a complete test set of {}{}", counted(count, "test"), setup_.caveat(true)));
        else if (cycle)
            inquiry_.fails(fmt::format(
                "there is no finite complete test set: {} can be repeated after {}; these are the first {}",
                print_trace(setup_.names(), cycle->cycle), print_trace(setup_.names(), cycle->way), count));
        else
            inquiry_.undecided(made.why);
    }

    void test() {
        TestingReport& testing = answer_.testing.emplace();
        complete::OnlineOptions options;
        options.limits = setup_.limits();
        options.sharp = question_.sharp;
        if (question_.tests) options.tests = *question_.tests;
        options.ran = [&](const complete::Ran& ran) {
            if (testing.ran.size() < most_listed) testing.ran.push_back(ran);
        };
        if (setup_.tests_program()) options.progress_every = 1;
        options.progress = [&](const complete::OnlineProgress& p) {
            if (!inquiry_.context.progress) return;
            inquiry_.context.progress(
                CountProgress{"testing, tests", p.tests, 0,
                              fmt::format("domain of {} states, {} traces left, of {} events", p.domain,
                                          p.waiting, p.length)});
        };
        take(complete::test_online(setup_.product(), setup_.names(), setup_.sut(), options), testing);
    }

    void take(const complete::OnlineReport& report, TestingReport& testing) {
        testing.tests = report.tests;
        testing.excluded = report.excluded;
        testing.waiting = report.waiting;
        testing.domain_size = report.domain_size;
        testing.domain = report.domain;
        testing.length = report.length;
        testing.silent_after = report.silent_after;
        if (report.fault != complete::WorldFault::none) {
            inquiry_.report(code_of(report.fault), report.reason)
                .help(fmt::format("it happened in the test {}; {} done before",
                                  print(setup_.names(), report.last->test), counted(report.tests, "test")));
            answer_.environment_failed = true;
            return;
        }
        answer_.verdict = report.answer;
        answer_.reason = report.reason;
        if (report.answer == Verdict::holds) answer_.reason += setup_.caveat(setup_.tests_program());
        if (report.answer == Verdict::undecided) {
            answer_.bound.add("tests", report.tests);
            answer_.bound.add("length", std::uint64_t{report.length});
            answer_.bound.add("traces left", report.waiting);
        }
        if (report.answer == Verdict::fails)
            answer_.witness = witness_of(setup_.names(), report.last->test, report.reason);
    }

    const Inquiry& inquiry_;
    const CompleteQuestion& question_;
    CompleteAnswer& answer_;
    CompletionSetup setup_;
};

}  // namespace

CompleteAnswer complete(const Workspace& workspace, const CompleteQuestion& question,
                        const Context& context) {
    CompleteAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    Completer(inquiry, question, answer).run();
    return answer;
}

}  // namespace treaty::api
