#include <algorithm>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/pictures.h"
#include "cli/test_files.h"
#include "cli/test_inputs.h"
#include "cli/verbs.h"
#include "formats/dot.h"
#include "formats/load.h"
#include "formats/names.h"
#include "report/wording.h"
#include "testgen/adherence.h"
#include "testgen/case_order.h"
#include "testgen/codes.h"

namespace treaty::cli {
namespace {

using testgen::Count;

struct Request {
    std::string file, cuts, output, format;
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
                                         const testgen::TestSuite& suite, const Cases& cases,
                                         const model::Channels& channels) {
    std::uint64_t wanted = request.sample.value_or(request.first.value_or(most_cases));
    if (wanted > most_cases || (!request.first && !request.sample && cases.size() > Count(most_cases))) {
        session
            .report(testgen::codes::too_many_cases, fmt::format("there are {} cases, and at most {} are made",
                                                                cases.size().get_str(), most_cases))
            .help("--first N or --sample N takes some of them, --count only counts");
        return std::nullopt;
    }
    std::vector<Count> numbers;
    if (!request.order)
        return request.sample ? testgen::sample_cases(cases.size(), wanted, session.options.seed)
                              : testgen::first_cases(cases.size(), wanted);
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

void list_cases(Session& session, const TestSource& source, const std::vector<testgen::TestCase>& cases,
                const std::vector<std::string>& unsuitable) {
    constexpr std::size_t most_shown = 50;
    report::Json list = report::Json::array();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const testgen::TestCase& test = cases[i];
        auto choices = choices_of(session, source, test);
        if (list.size() < most_shown) {
            session.result.text += fmt::format("case {}\n", test.index.get_str());
            for (const std::string& choice : choices) session.result.text += fmt::format("  {}\n", choice);
            if (!unsuitable[i].empty())
                session.result.text += fmt::format("  not suitable: {}\n", unsuitable[i]);
        }
        list.push_back({{"number", to_json(test.index)}, {"choices", choices}});
        list.back()["suitable"] = unsuitable[i].empty();
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
    options.rounds = source.projections.get();
    testgen::Observer observer(*source.projections, suite.cut(), options.channels);
    for (const testgen::TestCase& test : cases) {
        if (stopped(session, options.limits.time)) return;
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

// Definition 3.7 for each case: why the role's own projection does not pass it; empty if it does. What the
// protocol's channels are not made for shows here first, so it is asked whenever cases are made.
std::vector<std::string> check_suitable(Session& session, const Request& request, const TestSource& source,
                                        const testgen::TestSuite& suite,
                                        const std::vector<testgen::TestCase>& cases,
                                        testgen::ComplianceOptions options) {
    options.whole_run = suite.whole_run();
    testgen::Observer observer(*source.projections, suite.cut(), options.channels);
    std::vector<std::string> why;
    std::size_t bad = 0;
    for (const testgen::TestCase& test : cases) {
        if (stopped(session, options.limits.time)) return why;
        auto verdict = testgen::comply(suite.component(), test.machines,
                                       request.judge.global() ? &observer : nullptr, options);
        why.push_back(verdict.answer == base::Answer::holds ? ""
                      : verdict.failure                     ? verdict.failure->reason
                                                            : verdict.reason);
        bad += why.back().empty() ? 0 : 1;
    }
    session.result.extra["suitable"] = cases.size() - bad;
    if (bad > 0)
        session.result.text += fmt::format("{} not suitable: the projection of {} does not pass (--check)\n",
                                           report::counted(bad, "case"), source.alphabet().name(suite.cut()));
    return why;
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
              const testgen::ComplianceOptions& options, std::vector<Row>& rows, Count& total) {
    testgen::TestSuite suite = source.suite(cut, request.tests);
    std::string role(source.alphabet().name(cut));
    Cases all(suite, request.tests);
    if (!all.counted()) {
        session.result.answer = base::Answer::undecided;
        session.result.reason =
            fmt::format("the cases of {} meet in too many ways to be counted; --keep-all counts them", role);
        session.result.bound["stopped"] = "states";
        return true;
    }
    session.result.text +=
        fmt::format("{}: {} test case{}\n", role, all.size().get_str(), all.size() == 1 ? "" : "s");
    session.result.extra["by_role"][role] = to_json(all.size());
    total += all.size();
    if (request.count) return true;
    auto numbers = select(session, request, suite, all, options.channels);
    if (!numbers) return false;
    std::vector<testgen::TestCase> cases;
    for (const Count& number : *numbers) {
        if (stopped(session, options.limits.time)) return true;
        cases.push_back(all.at(number));
    }
    if (!request.check) {
        auto unsuitable = check_suitable(session, request, source, suite, cases, options);
        if (session.result.answer) return true;
        if (request.against.empty() && request.output.empty()) list_cases(session, source, cases, unsuitable);
    } else {
        judge(session, request, source, suite, suite.component(), cases, options, rows.front().tally, true);
    }
    for (const std::string& against : request.against) {
        std::size_t equals = against.find('=');
        if (against.substr(0, equals) != role) continue;
        auto component = load_component(session, source, cut, against.substr(equals + 1));
        if (!component) return false;
        Row& row = rows.emplace_back(Row{against.substr(equals + 1), role, {}});
        judge(session, request, source, suite, *component, cases, options, row.tally, false);
    }
    if (session.result.answer) return true;
    SuiteFacts facts{cut, suite.whole_run(), request.tests.dual, all.size()};
    std::string format = !request.format.empty() ? request.format : request.tests.dual ? "json" : "fsa";
    return request.output.empty() || write_tests(session, source, facts, cases, request.output, format);
}

// A wrong component that passes, to a file: a picture, or together with the case it is seen in.
bool write_wrong(Session& session, const TestSource& source, const testgen::WrongPasser& wrong,
                 const std::string& path) {
    std::string extension = formats::extension_of(path);
    if (extension == "svg" || extension == "dot")
        return write_graph(session, formats::write_dot(wrong.component), {path, {}});
    std::vector<model::Machine> machines;
    std::size_t next = 0;
    for (model::RoleId role : source.projections->protocol->roles())
        machines.push_back(role == wrong.component.role() ? wrong.component
                                                          : wrong.test.machines[next++].machine);
    auto system = model::make_system(std::string(source.input->protocol->name()), std::move(machines), {});
    base::Diagnostics losses;
    auto written = formats::write(Loaded{*system}, extension, losses, formats::LossPolicy::allow);
    if (written.text) return session.write(path, *written.text);
    session.diagnostics.append(std::move(losses));
    return false;
}

// Does passing mean keeping to the protocol? If not, a component that shows it.
int decide_adherence(Session& session, const Request& request, const TestSource& source, model::RoleId cut,
                     const testgen::ComplianceOptions& options) {
    testgen::TestSuite suite = source.suite(cut, request.tests);
    std::string role(source.alphabet().name(cut));
    if (!suite.counted()) {
        session.result.answer = base::Answer::undecided;
        session.result.reason = fmt::format("the cases of {} meet in too many ways to be counted", role);
        session.result.bound["stopped"] = "states";
        return session.finish();
    }
    auto found = testgen::adherence(suite, options, request.judge.global());
    session.result.extra["knowledge"] = found.knowledge;
    session.result.extra["configurations"] = found.configurations;
    session.result.answer = found.answer;
    if (found.wrong) {
        const testgen::Departure& departure = found.wrong->departure;
        session.result.reason =
            fmt::format("a component passes every test of {} although {}", role, departure.what);
        session.result.extra["wrong"] = departure.what;
        session.result.extra["case"] = to_json(found.wrong->test.index);
        session.result.extra["component"] = print_machine(found.wrong->component);
        session.result.text += "a component that passes:\n" + print_machine(found.wrong->component);
        testgen::Failure shown;
        shown.kind = departure.early ? testgen::FailureKind::incomplete : testgen::FailureKind::refused;
        shown.run = departure.run;
        shown.reason = "no run of the protocol has this, and no test can tell";
        session.result.witness =
            run_of_test(session, source, found.wrong->component, found.wrong->test.machines, shown);
        if (!request.output.empty() && !write_wrong(session, source, *found.wrong, request.output))
            session.result.answer.reset();
        return session.finish();
    }
    session.result.reason = found.reason;
    if (found.answer == base::Answer::undecided) {
        session.result.bound["configurations"] = found.configurations;
    } else if (source.projections->unfolded) {
        // Later rounds are not tested, so a component may do anything there.
        session.result.answer = base::Answer::undecided;
        session.result.reason = fmt::format(
            "it holds for runs of at most {} of each loop; later ones are not tested", rounds(source));
        session.result.bound["rounds"] = source.times;
    } else if (found.reason.empty()) {
        session.result.reason = fmt::format(
            "every run of every component that passes the tests of {} is one of the protocol ({} of "
            "knowledge, {})",
            role, report::counted(found.knowledge, "state"),
            report::counted(found.configurations, "configuration"));
    }
    return session.finish();
}

// Each --against is ROLE=FILE of a role that is cut.
bool usable_against(Session& session, const Request& request, const TestSource& source,
                    const std::vector<model::RoleId>& cuts) {
    for (const std::string& against : request.against) {
        std::size_t equals = against.find('=');
        if (equals == std::string::npos) {
            session.report(codes::bad_usage,
                           fmt::format("--against {} is not of the form ROLE=FILE", against));
            return false;
        }
        bool cut = std::any_of(cuts.begin(), cuts.end(), [&](model::RoleId role) {
            return source.alphabet().name(role) == against.substr(0, equals);
        });
        if (cut) continue;
        session.report(codes::bad_usage, fmt::format("--against {}: --cut does not name {}", against,
                                                     against.substr(0, equals)));
        return false;
    }
    return true;
}

bool usable(Session& session, const Request& request, std::size_t roles) {
    if (!request.format.empty() && request.format != "fsa" && request.format != "json") {
        session.report(codes::bad_usage, fmt::format("--format {} is neither fsa nor json", request.format));
        return false;
    }
    if (roles > 1 && !request.output.empty()) {
        session.report(codes::bad_usage, "-o writes the tests of one role: give --cut one");
        return false;
    }
    if (roles > 1 && request.adherence) {
        session.report(codes::bad_usage, "--adherence is asked of one role: give --cut one");
        return false;
    }
    if (request.tests.dual && (request.order || request.adherence)) {
        session.report(codes::bad_usage,
                       fmt::format("{} is about tests that play the other roles, not --dual",
                                   request.order ? "--order" : "--adherence"));
        return false;
    }
    if (request.tests.dual && request.format == "fsa") {
        session.report(codes::bad_usage,
                       "--dual tests act for several roles, which .fsa cannot say: --format json");
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
    line.option("-o,--output", "PATH", request.output,
                "write the cases: FILE.json, or a folder; with --adherence the component");
    line.option("--format", "EXT", request.format, "of the cases in a folder: fsa (default) or json");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    auto source = load_test_source(session, request.file, request.tests);
    if (!source) return session.finish();
    auto cuts = choose_roles(session, source->input->specification, *source->input->protocol, request.cuts);
    auto options = cuts ? request.judge.read(session, source->alphabet()) : std::nullopt;
    if (!options || !usable(session, request, cuts->size()) ||
        !usable_against(session, request, *source, *cuts))
        return session.finish();
    if (request.adherence) return decide_adherence(session, request, *source, cuts->front(), *options);
    std::vector<Row> rows{{"projection", request.cuts, {}}};
    session.result.extra["cases"] = report::Json::array();
    Count total = 0;
    for (model::RoleId cut : *cuts) {
        if (!one_role(session, request, *source, cut, *options, rows, total)) return session.finish();
        // What was found stays found, however it ended.
        if (request.check && rows.front().tally.failed > 0 && session.result.answer)
            return session.fails("a case is not suitable, and not all were looked at");
        if (session.result.answer) return session.finish();
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
    if (request.check && rows.front().tally.undecided > 0) {
        std::size_t open = rows.front().tally.undecided;
        session.result.answer = base::Answer::undecided;
        session.result.reason = fmt::format("{} undecided", report::counted(open, "test"));
        return session.finish();
    }
    return session.holds(request.check ? "every test is suitable" : "");
}

}  // namespace treaty::cli
