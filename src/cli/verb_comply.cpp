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
    testgen::TestSuite suite = source->suite(roles->front(), request.options.keep());
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
    return SavedTests{std::move(*source),   roles->front(),   whole_run,
                      request.options.dual, std::move(cases), std::move(choices)};
}

void show_failure(Session& session, const SavedTests& tests, std::size_t i, const model::Machine& component,
                  const testgen::Failure& failure, report::Json& entry) {
    const testgen::TestCase& test = tests.cases[i];
    report::Run run = run_of_test(session, tests.source, component, test.machines, failure);
    entry["kind"] = testgen::to_string(failure.kind);
    entry["reason"] = failure.reason;
    entry["choices"] = tests.choices[i];
    entry["witness"] = report::to_json(run);
    session.result.text += fmt::format("case {} fails: {}\n", test.index.get_str(), failure.reason);
    for (const std::string& choice : tests.choices[i]) session.result.text += fmt::format("  {}\n", choice);
    if (session.result.witness && session.result.witness->events.size() <= run.events.size()) return;
    session.result.witness = std::move(run);
}

struct Tally {
    std::size_t passed = 0, failed = 0, undecided = 0, beyond = 0;
};

Tally judge(Session& session, const Request& request, const SavedTests& tests,
            const model::Machine& component, testgen::ComplianceOptions options) {
    Tally tally;
    options.whole_run = tests.whole_run;
    options.rounds = tests.source.projections.get();
    testgen::Observer observer(*tests.source.projections, tests.cut, options.channels);
    report::Json results = report::Json::array();
    for (std::size_t i = 0; i < tests.cases.size(); ++i) {
        const testgen::TestCase& test = tests.cases[i];
        auto verdict =
            testgen::comply(component, test.machines, request.judge.global() ? &observer : nullptr, options);
        report::Json entry{{"case", to_json(test.index)},
                           {"verdict", verdict.answer == base::Answer::holds   ? "pass"
                                       : verdict.answer == base::Answer::fails ? "fail"
                                                                               : "undecided"},
                           {"states", verdict.states}};
        if (verdict.answer == base::Answer::holds) ++tally.passed;
        if (verdict.beyond) {
            ++tally.beyond;
            entry["beyond_rounds"] = true;
        }
        if (verdict.answer == base::Answer::undecided) {
            ++tally.undecided;
            entry["reason"] = verdict.reason;
            session.result.text +=
                fmt::format("case {} is undecided: {}\n", test.index.get_str(), verdict.reason);
        }
        if (verdict.failure) {
            ++tally.failed;
            show_failure(session, tests, i, component, *verdict.failure, entry);
        }
        results.push_back(std::move(entry));
    }
    session.result.extra["passed"] = tally.passed;
    session.result.extra["failed"] = tally.failed;
    session.result.extra["undecided"] = tally.undecided;
    session.result.extra["beyond_rounds"] = tally.beyond;
    session.result.extra["results"] = std::move(results);
    return tally;
}

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
    Tally tally = judge(session, request, *tests, *component, *options);
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
    if (!request.output.empty()) {
        if (!session.result.witness)
            session.result.text += fmt::format("nothing failed, so {} is not written\n", request.output);
        else if (!write_chart(session, report::chart_of(*session.result.witness), request.output))
            session.result.answer.reset();
    }
    return session.finish();
}

}  // namespace treaty::cli
