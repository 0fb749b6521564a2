#include <algorithm>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/pictures.h"
#include "cli/test_files.h"
#include "cli/test_inputs.h"
#include "cli/verbs.h"
#include "report/sequence_chart.h"
#include "report/wording.h"
#include "testgen/codes.h"
#include "testgen/follow.h"

namespace treaty::cli {
namespace {

struct Request {
    std::string machine, tests, cut, output;
    std::optional<std::uint64_t> first, sample;
    TestOptions options;
    JudgeOptions judge;
};

constexpr std::size_t most_cases = 100'000;

// The tests of a protocol, made on the spot.
std::optional<SavedTests> make_tests(Session& session, const Request& request) {
    auto source = load_test_source(session, request.tests, request.options);
    if (!source) return std::nullopt;
    if (request.cut.empty()) {
        session.report(codes::bad_usage, "a protocol has tests of every role: --cut says of which");
        return std::nullopt;
    }
    auto roles = choose_roles(session, source->input->specification, *source->input->protocol, request.cut);
    if (!roles) return std::nullopt;
    if (roles->size() != 1) {
        session.report(codes::bad_usage, "one role is tested at a time");
        return std::nullopt;
    }
    testgen::TestSuite suite = source->suite(roles->front(), request.options);
    Cases numbered(suite, request.options);
    std::uint64_t wanted = request.sample.value_or(request.first.value_or(most_cases));
    bool all = !request.first && !request.sample;
    if (!numbered.counted() || wanted > most_cases || (all && numbered.size() > testgen::Count(most_cases))) {
        session
            .report(testgen::codes::too_many_cases,
                    fmt::format("there are {} cases, and at most {} are run",
                                numbered.counted() ? numbered.size().get_str() : "too many", most_cases))
            .help("--first N or --sample N takes some of them");
        return std::nullopt;
    }
    auto numbers = request.sample ? testgen::sample_cases(numbered.size(), wanted, session.options.seed)
                                  : testgen::first_cases(numbered.size(), wanted);
    std::vector<testgen::TestCase> cases;
    std::vector<std::vector<std::string>> choices;
    for (const testgen::Count& number : numbers) {
        cases.push_back(numbered.at(number));
        choices.push_back(choices_of(session, *source, cases.back()));
    }
    bool whole_run = suite.whole_run();
    bool every_case = !request.options.dual && numbered.size() == testgen::Count(cases.size());
    return SavedTests{std::move(*source), roles->front(),     whole_run, request.options.dual,
                      std::move(cases),   std::move(choices), every_case};
}

std::string name_of(const testgen::TestCase& test) {
    return test.index < 0 ? "a case in which a role waits" : fmt::format("case {}", test.index.get_str());
}

void show_failure(Session& session, const SavedTests& tests, std::size_t i, const model::Machine& component,
                  const testgen::Failure& failure, report::Json& entry) {
    const testgen::TestCase& test = tests.cases[i];
    report::Run run = run_of_test(session, tests.source, component, test.machines, failure);
    entry["kind"] = testgen::to_string(failure.kind);
    entry["reason"] = failure.reason;
    entry["choices"] = tests.choices[i];
    entry["witness"] = report::to_json(run);
    session.result.text += fmt::format("{} fails: {}\n", name_of(test), failure.reason);
    for (const std::string& choice : tests.choices[i]) session.result.text += fmt::format("  {}\n", choice);
    if (session.result.witness && session.result.witness->events.size() <= run.events.size()) return;
    session.result.witness = std::move(run);
}

struct Tally {
    std::size_t passed = 0, failed = 0, undecided = 0, beyond = 0, waited = 0;
};

// One component and all cases, judged one by one.
class Judging {
public:
    Judging(Session& session, const Request& request, SavedTests& tests, const model::Machine& component,
            testgen::ComplianceOptions options)
        : session_(session),
          tests_(tests),
          component_(component),
          options_(std::move(options)),
          global_(request.judge.global()),
          observer_(*tests.source.projections, tests.cut, options_.channels) {
        options_.whole_run = tests.whole_run;
        options_.rounds = tests.source.projections.get();
    }

    Tally run() {
        for (std::size_t i = 0; i < tests_.cases.size(); ++i) {
            // What was not looked at is not decided.
            if (stopped(session_, options_.limits.time)) {
                tally_.undecided += tests_.cases.size() - i;
                break;
            }
            judge(i);
        }
        if (tally_.failed == 0 && tests_.every_case && global_ && add_waiting())
            judge(tests_.cases.size() - 1);
        session_.result.extra["passed"] = tally_.passed;
        session_.result.extra["failed"] = tally_.failed;
        session_.result.extra["undecided"] = tally_.undecided;
        session_.result.extra["beyond_rounds"] = tally_.beyond;
        session_.result.extra["results"] = std::move(results_);
        return tally_;
    }

private:
    void judge(std::size_t i) {
        const testgen::TestCase& test = tests_.cases[i];
        auto verdict = testgen::comply(component_, test.machines, global_ ? &observer_ : nullptr, options_);
        report::Json entry{{"case", test.index < 0 ? report::Json() : to_json(test.index)},
                           {"verdict", verdict.answer == base::Answer::holds   ? "pass"
                                       : verdict.answer == base::Answer::fails ? "fail"
                                                                               : "undecided"},
                           {"states", verdict.states}};
        if (verdict.answer == base::Answer::holds) ++tally_.passed;
        if (verdict.beyond) {
            ++tally_.beyond;
            entry["beyond_rounds"] = true;
        }
        if (verdict.waited) {
            ++tally_.waited;
            entry["waited"] = true;
        }
        if (verdict.answer == base::Answer::undecided) {
            ++tally_.undecided;
            entry["reason"] = verdict.reason;
            session_.result.text += fmt::format("{} is undecided: {}\n", name_of(test), verdict.reason);
        }
        if (verdict.failure) {
            ++tally_.failed;
            show_failure(session_, tests_, i, component_, *verdict.failure, entry);
        }
        results_.push_back(std::move(entry));
    }

    // Whoever can send and receive in one state sends first in these cases. What that hides shows with all
    // choices open; then there is a case in which a role waits, and it is added.
    bool add_waiting() {
        constexpr std::uint64_t patience = 200'000;
        testgen::TestSuite suite = tests_.source.suite(tests_.cut, {});
        auto others = suite.others();
        if (std::none_of(others.begin(), others.end(),
                         [](const model::Machine* machine) { return testgen::may_wait(*machine); }))
            return false;
        testgen::ComplianceOptions options = options_;
        options.limits.states = std::min<std::uint64_t>(options.limits.states, patience);
        testgen::TestCase whole = suite.whole();
        auto open = testgen::comply(component_, whole.machines, &observer_, options);
        if (!open.failure) return false;
        tests_.cases.push_back(testgen::follow(whole, open.failure->run));
        tests_.choices.push_back(choices_of(session_, tests_.source, tests_.cases.back()));
        return true;
    }

    Session& session_;
    SavedTests& tests_;
    const model::Machine& component_;
    testgen::ComplianceOptions options_;
    bool global_;
    testgen::Observer observer_;
    Tally tally_;
    report::Json results_ = report::Json::array();
};

}  // namespace

int verb_comply(Arguments arguments) {
    Session session("comply");
    CommandLine line(session);
    Request request;
    line.positional("MACHINE", request.machine, "machines, or a protocol whose projection is taken");
    line.positional("TESTS", request.tests, "what treaty tests wrote, or a protocol");
    line.option("--cut", "ROLE", request.cut, "the role that is tested, if TESTS is a protocol");
    request.options.add_to(line);
    line.option("--first", "N", request.first, "run the first N cases of a protocol");
    line.option("--sample", "N", request.sample, "run N of its cases, drawn at random (--seed)");
    request.judge.add_to(line);
    line.option("-o,--output", "FILE", request.output, "draw the shortest failure: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.machine, request.tests};
    auto tests =
        holds_tests(request.tests) ? load_tests(session, request.tests) : make_tests(session, request);
    if (!tests) return session.finish();
    if (std::string role(tests->source.alphabet().name(tests->cut));
        !request.cut.empty() && request.cut != role) {
        session.report(codes::bad_usage,
                       fmt::format("{} tests {}, not {}", request.tests, role, request.cut));
        return session.finish();
    }
    if (request.options.dual && !tests->dual) {
        session.report(
            codes::bad_usage,
            fmt::format("{} holds tests that play the other roles, not --dual ones", request.tests));
        return session.finish();
    }
    session.result.extra["kind"] = tests->dual ? "dual" : "roles";
    auto options = request.judge.read(session, tests->source.alphabet());
    if (!options) return session.finish();
    auto component = load_component(session, tests->source, tests->cut, request.machine);
    if (!component) return session.finish();
    Tally tally = Judging(session, request, *tests, *component, *options).run();
    std::string role(tests->source.alphabet().name(tests->cut));
    session.result.answer = tally.failed > 0      ? base::Answer::fails
                            : tally.undecided > 0 ? base::Answer::undecided
                                                  : base::Answer::holds;
    session.result.reason =
        fmt::format("{} passes {} of {}", role, tally.passed, report::counted(tests->cases.size(), "test"));
    if (tally.undecided > 0) session.result.bound["undecided"] = tally.undecided;
    if (tally.beyond > 0)
        session.result.text += fmt::format(
            "in {} it goes on for more than {} of a loop; those runs are not followed (--times)\n",
            report::counted(tally.beyond, "test"), rounds(tests->source));
    if (tally.waited > 0)
        session.result.text += fmt::format("in {} a role waits in vain in some run, which says nothing\n",
                                           report::counted(tally.waited, "test"));
    if (!request.output.empty()) {
        if (!session.result.witness)
            session.result.text += fmt::format("nothing failed, so {} is not written\n", request.output);
        else if (!write_chart(session, report::chart_of(*session.result.witness), request.output))
            session.result.answer.reset();
    }
    return session.finish();
}

}  // namespace treaty::cli
