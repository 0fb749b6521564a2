#include <array>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/mutant_picture.h"
#include "cli/pictures.h"
#include "cli/test_files.h"
#include "cli/test_inputs.h"
#include "cli/verbs.h"
#include "report/wording.h"
#include "testgen/mutation.h"
#include "testgen/translate.h"

namespace treaty::cli {
namespace {

using testgen::Fate;
using testgen::Mutant;
using testgen::MutantVerdict;
using testgen::Operator;

struct Request {
    std::string file, cut, tests, level = "both", output;
    std::optional<std::uint64_t> sample;
    bool list = false, compare = false;
    TestOptions options;
    JudgeOptions judge;
};

constexpr std::size_t most_cases = 2000;
constexpr std::size_t fates = 5;
using Counts = std::array<std::size_t, fates>;

// All cases of the protocol, some if there are too many.
std::optional<std::vector<testgen::TestCase>> protocol_tests(Session& session, const Request& request,
                                                             const testgen::TestSuite& suite,
                                                             const TestOptions& options) {
    std::size_t wanted = request.sample.value_or(most_cases);
    Cases all(suite, options);
    if (!all.counted() || wanted > most_cases) {
        session.report(codes::bad_usage, wanted > most_cases
                                             ? fmt::format("--sample takes at most {} cases", most_cases)
                                             : "the cases meet in too many ways to be counted: --keep-all");
        return std::nullopt;
    }
    std::vector<testgen::TestCase> cases;
    for (const testgen::Count& number : testgen::sample_cases(all.size(), wanted, session.options.seed))
        cases.push_back(all.at(number));
    return cases;
}

// Tests from a file have an alphabet of their own.
std::optional<std::vector<testgen::TestCase>> in_alphabet_of(Session& session,
                                                             const testgen::TestSuite& suite,
                                                             const SavedTests& saved) {
    std::vector<testgen::TestCase> cases;
    const auto& alphabet = suite.projections().specification->alphabet;
    for (const testgen::TestCase& old : saved.cases) {
        testgen::TestCase test;
        test.index = old.index;
        for (const testgen::TestMachine& machine : old.machines) {
            model::RoleId role = alphabet->find_role(saved.source.alphabet().name(machine.machine.role()));
            auto acting = saved.dual ? testgen::Acting::others : testgen::Acting::own;
            auto told = role ? testgen::translate(machine.machine, role, alphabet, acting) : std::nullopt;
            if (!told) {
                session.report(codes::bad_usage, "the tests are those of another protocol");
                return std::nullopt;
            }
            test.machines.push_back({std::move(*told), machine.success, machine.waits});
        }
        cases.push_back(std::move(test));
    }
    return cases;
}

// The cases that mutants are run with: those of a file, or of the protocol, sampled if there are too many.
std::optional<std::vector<testgen::TestCase>> choose_tests(Session& session, const Request& request,
                                                           const testgen::TestSuite& suite, bool& whole_run) {
    if (!request.tests.empty()) {
        auto saved = load_tests(session, request.tests);
        if (!saved) return std::nullopt;
        if (saved->source.alphabet().name(saved->cut) !=
            suite.projections().specification->alphabet->name(suite.cut())) {
            session.report(codes::bad_usage, fmt::format("{} tests another role", request.tests));
            return std::nullopt;
        }
        whole_run = saved->whole_run;
        // Told once more, in the alphabet of the protocol that is changed here.
        return in_alphabet_of(session, suite, *saved);
    }
    return protocol_tests(session, request, suite, request.options);
}

std::string place_of(const Session& session, const TestSource& source, const Mutant& mutant) {
    base::Span span = mutant.node ? (*source.projections->protocol)[mutant.node].span : base::Span{};
    return span.valid() ? fmt::format(" (line {})", session.sources.begin(span).line) : "";
}

double ratio(std::size_t part, std::size_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t at(const Counts& counts, Fate fate) {
    return counts[static_cast<std::size_t>(fate)];
}

double score(const Counts& counts) {
    return ratio(at(counts, Fate::killed),
                 at(counts, Fate::killed) + at(counts, Fate::survived) + at(counts, Fate::undecided));
}

void print_table(Session& session, const std::array<Counts, testgen::operator_count>& by_operator,
                 const Counts& total) {
    bool open = at(total, Fate::undecided) > 0;
    auto row = [&](std::string_view name, const Counts& counts) {
        std::size_t all = 0;
        for (std::size_t n : counts) all += n;
        session.result.text += fmt::format(
            "{:<18}  {:>7}  {:>6}  {:>10}  {:>12}  {:>8}{}  {:>5.3f}\n", name, all, at(counts, Fate::killed),
            at(counts, Fate::equivalent), at(counts, Fate::unobservable), at(counts, Fate::survived),
            open ? fmt::format("  {:>9}", at(counts, Fate::undecided)) : "", score(counts));
        return report::Json{{"mutants", all},
                            {"killed", at(counts, Fate::killed)},
                            {"equivalent", at(counts, Fate::equivalent)},
                            {"unobservable", at(counts, Fate::unobservable)},
                            {"survived", at(counts, Fate::survived)},
                            {"undecided", at(counts, Fate::undecided)},
                            {"score", score(counts)}};
    };
    session.result.text +=
        fmt::format("operator            mutants  killed  equivalent  unobservable  survived{}  score\n",
                    open ? "  undecided" : "");
    report::Json operators = report::Json::object();
    for (std::size_t i = 0; i < by_operator.size(); ++i) {
        std::size_t all = 0;
        for (std::size_t n : by_operator[i]) all += n;
        if (all > 0)
            operators[std::string(to_string(Operator(i)))] = row(to_string(Operator(i)), by_operator[i]);
    }
    report::Json all = row("all", total);
    for (auto& [key, value] : all.items()) session.result.extra[key] = value;
    session.result.extra["by_operator"] = std::move(operators);
}

void explain(Session& session, const Request& request, const TestSource& source,
             const testgen::TestSuite& suite, const std::vector<Mutant>& mutants,
             const std::vector<MutantVerdict>& verdicts, const std::vector<testgen::TestCase>& tests) {
    report::Json list = report::Json::array();
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        const Mutant& mutant = mutants[i];
        const MutantVerdict& verdict = verdicts[i];
        std::string place = place_of(session, source, mutant);
        report::Json entry{{"operator", to_string(mutant.op)},
                           {"what", mutant.what + place},
                           {"fate", to_string(verdict.fate)},
                           {"explanation", verdict.explanation}};
        bool killed = verdict.fate == Fate::killed;
        if (killed && verdict.own_test)
            entry["choices"] = choices_of(session, source, *verdict.own_test);
        else if (killed)
            entry["test"] = to_json(tests[verdict.test].index);
        if (verdict.failure) {
            testgen::TestCase whole = verdict.own_test ? *verdict.own_test
                                      : killed         ? tests[verdict.test]
                                                       : suite.whole();
            const model::Machine& component = verdict.setting ? *verdict.setting->component : mutant.machine;
            report::Run run = run_of_test(session, source, component, whole.machines, *verdict.failure);
            entry["witness"] = report::to_json(run);
            if (verdict.fate == Fate::survived && !session.result.witness)
                session.result.witness = std::move(run);
        }
        list.push_back(std::move(entry));
        if (killed && !request.list) continue;
        session.result.text += fmt::format("{}: {}: {}{}\n  {}\n", to_string(verdict.fate),
                                           to_string(mutant.op), mutant.what, place, verdict.explanation);
    }
    session.result.extra["results"] = std::move(list);
}

std::optional<std::vector<Mutant>> make_mutants(Session& session, const Request& request,
                                                const TestSource& source, model::RoleId cut,
                                                base::Deadline deadline) {
    if (request.level != "machine" && request.level != "protocol" && request.level != "both") {
        session.report(codes::bad_usage,
                       fmt::format("--level {} is not machine, protocol or both", request.level));
        return std::nullopt;
    }
    std::vector<Mutant> mutants;
    if (request.level != "protocol") mutants = testgen::mutate_machine(*source.projections, cut);
    if (request.level != "machine")
        for (Mutant& mutant : testgen::mutate_protocol(*source.projections, cut, deadline))
            mutants.push_back(std::move(mutant));
    return mutants;
}

int finish(Session& session, const Counts& total) {
    std::size_t survived = at(total, Fate::survived), undecided = at(total, Fate::undecided);
    session.result.reason =
        fmt::format("{} survived; score {:.3f}", report::counted(survived, "mutant"), score(total));
    if (undecided > 0) session.result.bound["undecided"] = undecided;
    session.result.answer = survived > 0    ? base::Answer::fails
                            : undecided > 0 ? base::Answer::undecided
                                            : base::Answer::holds;
    return session.finish();
}

// Which mutants the two kinds of tests kill, by the two verdicts.
int compare(Session& session, const Request& request, const testgen::TestSuite& suite,
            const std::vector<Mutant>& mutants, testgen::ComplianceOptions options) {
    report::Json rows = report::Json::array();
    session.result.text += "tests        verdict  number  killed  survived  score\n";
    for (bool dual : {false, true})
        for (bool global : {true, false}) {
            TestOptions kind = request.options;
            kind.dual = dual;
            auto tests = protocol_tests(session, request, suite, kind);
            if (!tests) return session.finish();
            options.whole_run = dual || suite.whole_run();
            bool every_case = !dual && suite.size() == testgen::Count(tests->size());
            testgen::MutationOptions how{options, global, session.options.threads(), every_case};
            Counts counts{};
            for (const MutantVerdict& verdict : testgen::judge_mutants(suite.projections(), suite.cut(),
                                                                       mutants, *tests, suite.whole(), how))
                ++counts[static_cast<std::size_t>(verdict.fate)];
            const char *name = dual ? "mirror" : "other roles", *verdict = global ? "global" : "local";
            session.result.text +=
                fmt::format("{:<11}  {:<7}  {:>6}  {:>6}  {:>8}  {:>5.3f}\n", name, verdict, tests->size(),
                            at(counts, Fate::killed), at(counts, Fate::survived), score(counts));
            rows.push_back({{"tests", dual ? "dual" : "roles"},
                            {"verdict", verdict},
                            {"number", tests->size()},
                            {"killed", at(counts, Fate::killed)},
                            {"survived", at(counts, Fate::survived)},
                            {"undecided", at(counts, Fate::undecided)},
                            {"score", score(counts)}});
        }
    session.result.extra["mutants"] = mutants.size();
    session.result.extra["compared"] = std::move(rows);
    session.result.quiet = true;
    return session.holds();
}

}  // namespace

int verb_mutate(Arguments arguments) {
    Session session("mutate");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol");
    line.option("--cut", "ROLE", request.cut, "the role whose component is changed", Needed::yes);
    line.option("--tests", "PATH", request.tests,
                "the tests, as treaty tests wrote them (default: all of the protocol)");
    line.option("--sample", "N", request.sample, "N cases drawn at random (--seed) if there are more");
    line.option("--level", "WHERE", request.level, "what is changed: machine, protocol or both (default)");
    line.flag("--list", request.list, "show the killed ones, too");
    line.flag("--compare", request.compare, "instead: both kinds of tests, by both verdicts, in one table");
    request.options.add_to(line);
    request.judge.add_to(line);
    line.option("-o,--output", "FILE", request.output,
                "draw the machine, with what no test killed marked: .svg or .dot");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    auto source = load_test_source(session, request.file, request.options);
    if (!source) return session.finish();
    auto cuts = choose_roles(session, source->input->specification, *source->input->protocol, request.cut);
    auto options = cuts ? request.judge.read(session, source->alphabet()) : std::nullopt;
    if (!options) return session.finish();
    if (cuts->size() != 1) {
        session.report(codes::bad_usage, "one role is changed at a time");
        return session.finish();
    }
    testgen::TestSuite suite = source->suite(cuts->front(), request.options);
    bool whole_run = suite.whole_run();
    auto tests = choose_tests(session, request, suite, whole_run);
    auto mutants =
        tests ? make_mutants(session, request, *source, cuts->front(), options->limits.time) : std::nullopt;
    if (!mutants) return session.finish();
    options->whole_run = whole_run;
    if (request.compare) return compare(session, request, suite, *mutants, *options);
    bool every_case =
        request.tests.empty() && !request.options.dual && suite.size() == testgen::Count(tests->size());
    testgen::MutationOptions how{*options, request.judge.global(), session.options.threads(), every_case};
    auto verdicts =
        testgen::judge_mutants(*source->projections, cuts->front(), *mutants, *tests, suite.whole(), how);
    std::array<Counts, testgen::operator_count> by_operator{};
    Counts total{};
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        ++by_operator[static_cast<std::size_t>((*mutants)[i].op)][static_cast<std::size_t>(verdicts[i].fate)];
        ++total[static_cast<std::size_t>(verdicts[i].fate)];
    }
    session.result.extra["tests"] = tests->size();
    print_table(session, by_operator, total);
    explain(session, request, *source, suite, *mutants, verdicts, *tests);
    if (!request.output.empty() &&
        !write_graph(session,
                     draw_survivors(*source->projections->protocol, suite.component(), *mutants, verdicts),
                     {request.output, {}}))
        return session.finish();
    return finish(session, total);
}

}  // namespace treaty::cli
