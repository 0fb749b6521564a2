#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/test_files.h"
#include "cli/test_inputs.h"
#include "cli/verbs.h"
#include "report/wording.h"
#include "testgen/adherence.h"
#include "testgen/case_order.h"
#include "testgen/codes.h"

namespace treaty::cli {
namespace {

using testgen::Count;

struct Request {
    std::string file, cuts, output, format = "fsa";
    std::optional<std::uint64_t> first, sample;
    bool order = false, count = false, check = false, adherence = false;
    std::vector<std::string> against;
    TestOptions tests;
    JudgeOptions judge;
};

constexpr std::size_t most_cases = 100'000;  // listed, written or judged
constexpr std::size_t most_ordered = 4096;   // looked at to find an order

// The numbers of the cases that are asked for; nothing after reporting why there are none.
std::optional<std::vector<Count>> select(Session& session, const Request& request,
                                         const testgen::TestSuite& suite, const model::Channels& channels) {
    std::uint64_t wanted = request.sample.value_or(request.first.value_or(most_cases));
    if (wanted > most_cases || (!request.first && !request.sample && suite.size() > Count(most_cases))) {
        session
            .report(testgen::codes::too_many_cases, fmt::format("there are {} cases, and at most {} are made",
                                                                suite.size().get_str(), most_cases))
            .help("--first N or --sample N takes some of them, --count only counts");
        return std::nullopt;
    }
    std::vector<Count> numbers;
    if (!request.order)
        return request.sample ? testgen::sample_cases(suite.size(), wanted, session.options.seed)
                              : testgen::first_cases(suite.size(), wanted);
    auto pool = testgen::sample_cases(suite.size(), most_ordered, session.options.seed);
    auto order = testgen::by_coverage(suite, pool, channels);
    report::Json covered = report::Json::array();
    for (const testgen::OrderedCase& c : order) {
        if (numbers.size() >= wanted) break;
        numbers.push_back(c.number);
        covered.push_back(c.covered);
        if (c.added > 0)
            session.result.text += fmt::format("case {} covers {} of {}\n", c.number.get_str(), c.covered,
                                               report::counted(suite.component().edge_count(), "transition"));
    }
    session.result.extra["covered"] = std::move(covered);
    session.result.extra["transitions"] = suite.component().edge_count();
    return numbers;
}

void list_cases(Session& session, const TestSource& source, const std::vector<testgen::TestCase>& cases) {
    constexpr std::size_t most_shown = 50;
    report::Json list = report::Json::array();
    for (const testgen::TestCase& test : cases) {
        auto choices = choices_of(session, source, test);
        if (list.size() < most_shown) {
            session.result.text += fmt::format("case {}\n", test.index.get_str());
            for (const std::string& choice : choices) session.result.text += fmt::format("  {}\n", choice);
        }
        list.push_back({{"number", to_json(test.index)}, {"choices", choices}});
    }
    if (cases.size() > most_shown)
        session.result.text += fmt::format("and {} more\n", cases.size() - most_shown);
    session.result.extra["cases"].insert(session.result.extra["cases"].end(), list.begin(), list.end());
}

struct Tally {
    std::size_t tests = 0, failed = 0, undecided = 0;
};

// Judges every case; the first failure becomes the witness.
void judge(Session& session, const Request& request, const TestSource& source,
           const testgen::TestSuite& suite, const model::Machine& component,
           const std::vector<testgen::TestCase>& cases, testgen::ComplianceOptions options, Tally& tally,
           bool keep_witness) {
    options.whole_run = suite.whole_run();
    testgen::Observer observer(*source.projections, suite.cut(), options.channels);
    for (const testgen::TestCase& test : cases) {
        auto verdict =
            testgen::comply(component, test.machines, request.judge.global() ? &observer : nullptr, options);
        ++tally.tests;
        tally.undecided += verdict.answer == base::Answer::undecided ? 1 : 0;
        if (verdict.answer != base::Answer::fails) continue;
        ++tally.failed;
        if (!keep_witness || session.result.witness) continue;
        session.result.reason = fmt::format("case {} of {} is not suitable: {}", test.index.get_str(),
                                            source.alphabet().name(suite.cut()), verdict.failure->reason);
        session.result.witness = run_of_test(session, source, component, test.machines, *verdict.failure);
    }
}

struct Row {
    std::string component, roles;
    Tally tally;
};

void print_rows(Session& session, const std::vector<Row>& rows) {
    std::size_t width = 9;
    for (const Row& row : rows) width = std::max(width, row.component.size());
    report::Json table = report::Json::array();
    session.result.text +=
        fmt::format("{:<{}}  {:<8}  {:>6}  {:>6}\n", "component", width, "role", "tests", "failed");
    for (const Row& row : rows) {
        session.result.text += fmt::format("{:<{}}  {:<8}  {:>6}  {:>6}\n", row.component, width, row.roles,
                                           row.tally.tests, row.tally.failed);
        table.push_back({{"component", row.component},
                         {"role", row.roles},
                         {"tests", row.tally.tests},
                         {"failed", row.tally.failed}});
    }
    session.result.extra["checked"] = std::move(table);
}

// One role's part of the work; false after reporting a fault.
bool one_role(Session& session, const Request& request, const TestSource& source, model::RoleId cut,
              const testgen::ComplianceOptions& options, std::vector<Row>& rows) {
    testgen::TestSuite suite = source.suite(cut, request.tests.keep());
    std::string role(source.alphabet().name(cut));
    if (!suite.counted()) {
        session.result.answer = base::Answer::undecided;
        session.result.reason =
            fmt::format("the cases of {} meet in too many ways to be counted; --keep-all counts them", role);
        session.result.bound["stopped"] = "states";
        return true;
    }
    session.result.text +=
        fmt::format("{}: {} test case{}\n", role, suite.size().get_str(), suite.size() == 1 ? "" : "s");
    session.result.extra["by_role"][role] = to_json(suite.size());
    if (request.count) return true;
    auto numbers = select(session, request, suite, options.channels);
    if (!numbers) return false;
    std::vector<testgen::TestCase> cases;
    for (const Count& number : *numbers) cases.push_back(suite.at(number));
    if (!request.check && request.against.empty() && request.output.empty())
        list_cases(session, source, cases);
    if (request.check)
        judge(session, request, source, suite, suite.component(), cases, options, rows.front().tally, true);
    for (const std::string& against : request.against) {
        std::size_t equals = against.find('=');
        if (equals == std::string::npos) {
            session.report(codes::bad_usage,
                           fmt::format("--against {} is not of the form ROLE=FILE", against));
            return false;
        }
        if (against.substr(0, equals) != role) continue;
        auto component = load_component(session, source, cut, against.substr(equals + 1));
        if (!component) return false;
        Row& row = rows.emplace_back(Row{against.substr(equals + 1), role, {}});
        judge(session, request, source, suite, *component, cases, options, row.tally, false);
    }
    return request.output.empty() ||
           write_tests(session, source, suite, cases, request.output, request.format);
}

// Looks for a component that passes although it does not keep to the protocol.
int adherence(Session& session, const TestSource& source, model::RoleId cut,
              const testgen::ComplianceOptions& options, testgen::Keep keep) {
    testgen::TestSuite suite = source.suite(cut, keep);
    auto found = testgen::find_wrong_passer(suite, options);
    std::string role(source.alphabet().name(cut));
    session.result.extra["tried"] = found.tried;
    session.result.answer = found.answer;
    if (!found.wrong) {
        session.result.reason =
            fmt::format("none of {} wrong components passes, but there are others", found.tried);
        session.result.bound["tried"] = found.tried;
        return session.finish();
    }
    testgen::Failure shown;
    shown.kind = testgen::FailureKind::refused;
    shown.run = found.wrong->run;
    shown.reason = fmt::format("no run of the protocol has this, and no other role can tell");
    session.result.reason =
        fmt::format("a component passes every test of {} although it {}", role, found.wrong->what);
    session.result.extra["wrong"] = found.wrong->what;
    session.result.witness =
        run_of_test(session, source, found.wrong->component, suite.whole().machines, shown);
    return session.finish();
}

bool usable(Session& session, const Request& request, std::size_t roles) {
    if (request.format != "fsa" && request.format != "json") {
        session.report(codes::bad_usage, fmt::format("--format {} is neither fsa nor json", request.format));
        return false;
    }
    if (roles > 1 && !request.output.empty()) {
        session.report(codes::bad_usage, "-o writes the tests of one role: give --cut one");
        return false;
    }
    return true;
}

}  // namespace

int verb_tests(Arguments arguments) {
    Session session("tests");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol");
    line.option("--cut", "ROLE", request.cuts, "the role to be tested; several, separated by commas",
                Needed::yes);
    request.tests.add_to(line);
    line.flag("--count", request.count, "only say how many there are");
    line.option("--first", "N", request.first, "take the first N");
    line.option("--sample", "N", request.sample, "take N, drawn at random (--seed)");
    line.flag("--order", request.order, "those first that cover most transitions of the role");
    line.flag("--check", request.check, "run every case with the role's projection: is it suitable?");
    line.flag("--adherence", request.adherence, "instead: does passing mean keeping to the protocol?");
    line.option("--against", "ROLE=FILE", request.against, "run them with this machine, too");
    request.judge.add_to(line);
    line.option("-o,--output", "PATH", request.output, "write the cases: FILE.json, or a folder");
    line.option("--format", "EXT", request.format, "of the cases in a folder: fsa (default) or json");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    auto source = load_test_source(session, request.file, request.tests);
    if (!source) return session.finish();
    auto cuts = choose_roles(session, source->input->specification, *source->input->protocol, request.cuts);
    auto options = cuts ? request.judge.read(session, source->alphabet()) : std::nullopt;
    if (!options || !usable(session, request, cuts->size())) return session.finish();
    if (request.adherence) return adherence(session, *source, cuts->front(), *options, request.tests.keep());
    std::vector<Row> rows{{"projection", request.cuts, {}}};
    session.result.extra["cases"] = report::Json::array();
    Count total = 0;
    for (model::RoleId cut : *cuts) {
        if (!one_role(session, request, *source, cut, *options, rows)) return session.finish();
        if (session.result.answer) return session.finish();
        total += source->suite(cut, request.tests.keep()).size();
    }
    session.result.extra["count"] = to_json(total);
    if (cuts->size() > 1) session.result.text += fmt::format("in all: {} test cases\n", total.get_str());
    if (source->projections->has_data)
        session.result.text += "data is left aside: a condition is a choice of whoever sends next\n";
    if (!request.check && request.against.empty()) {
        session.result.quiet = true;
        return session.holds();
    }
    if (!request.check) rows.erase(rows.begin());
    print_rows(session, rows);
    if (request.check && rows.front().tally.failed > 0) return session.fails(session.result.reason);
    session.result.quiet = !request.check;
    return session.holds(request.check ? "every test is suitable" : "");
}

}  // namespace treaty::cli
