#include <array>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/pictures.h"
#include "cli/test_files.h"
#include "cli/test_inputs.h"
#include "cli/verbs.h"
#include "report/wording.h"
#include "testgen/dual.h"
#include "testgen/mutation.h"

namespace treaty::cli {
namespace {

using testgen::Fate;
using testgen::Mutant;
using testgen::MutantVerdict;
using testgen::Operator;

struct Request {
    std::string file, cut, tests, level = "both", output;
    std::optional<std::uint64_t> sample;
    bool list = false, dual = false;
    TestOptions options;
    JudgeOptions judge;
};

constexpr std::size_t most_cases = 2000;
constexpr std::size_t fates = 5;
using Counts = std::array<std::size_t, fates>;

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
        return std::move(saved->cases);
    }
    std::size_t wanted = request.sample.value_or(most_cases);
    if (!suite.counted() || wanted > most_cases) {
        session.report(codes::bad_usage, fmt::format("--sample takes at most {} cases", most_cases));
        return std::nullopt;
    }
    if (request.dual)
        return testgen::dual_tests(suite.component(), request.options.keep(), wanted, session.options.seed);
    std::vector<testgen::TestCase> cases;
    for (const testgen::Count& number : testgen::sample_cases(suite.size(), wanted, session.options.seed))
        cases.push_back(suite.at(number));
    return cases;
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
    auto row = [&](std::string_view name, const Counts& counts) {
        std::size_t all = 0;
        for (std::size_t n : counts) all += n;
        session.result.text +=
            fmt::format("{:<18}  {:>7}  {:>6}  {:>10}  {:>12}  {:>8}  {:>5.3f}\n", name, all,
                        at(counts, Fate::killed), at(counts, Fate::equivalent),
                        at(counts, Fate::unobservable), at(counts, Fate::survived), score(counts));
        return report::Json{{"mutants", all},
                            {"killed", at(counts, Fate::killed)},
                            {"equivalent", at(counts, Fate::equivalent)},
                            {"unobservable", at(counts, Fate::unobservable)},
                            {"survived", at(counts, Fate::survived)},
                            {"undecided", at(counts, Fate::undecided)},
                            {"score", score(counts)}};
    };
    session.result.text += "operator            mutants  killed  equivalent  unobservable  survived  score\n";
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

// The role's machine with the places of mutants that no test killed: red survived, orange unobservable.
std::string marked_machine(const model::Machine& machine, const std::vector<Mutant>& mutants,
                           const std::vector<MutantVerdict>& verdicts) {
    auto quoted = [](std::string_view text) {
        std::string out = "\"";
        for (char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        return out + '"';
    };
    std::string out =
        "digraph machine {\n  rankdir=LR\n  node [shape=circle fontname=\"DejaVu Sans\"]\n"
        "  edge [fontname=\"DejaVu Sans\"]\n";
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        out += fmt::format("  {} [{}]\n", s, machine.final(model::StateId(s)) ? "shape=doublecircle" : "");
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(model::StateId(s));
        for (std::uint32_t e = 0; e < edges.size(); ++e) {
            std::string label = machine.alphabet().print(edges[e].label), color;
            for (std::size_t i = 0; i < mutants.size(); ++i) {
                if (mutants[i].state != model::StateId(s) || mutants[i].edge != e) continue;
                if (verdicts[i].fate != Fate::survived && verdicts[i].fate != Fate::unobservable) continue;
                if (verdicts[i].fate == Fate::survived || color.empty())
                    color = verdicts[i].fate == Fate::survived ? "red" : "orange";
                label += fmt::format("\n{}: {}", short_name(mutants[i].op), to_string(verdicts[i].fate));
            }
            std::string marks =
                color.empty() ? "" : fmt::format(" color={} fontcolor={} penwidth=2", color, color);
            out += fmt::format("  {} -> {} [label={}{}]\n", s, edges[e].target.index, quoted(label), marks);
        }
    }
    return out + "}\n";
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
        if (killed) entry["test"] = to_json(tests[verdict.test].index);
        if (verdict.failure) {
            testgen::TestCase whole = killed ? tests[verdict.test] : suite.whole();
            report::Run run = run_of_test(session, source, mutant.machine, whole.machines, *verdict.failure);
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
                                                const model::Machine& component) {
    if (request.level != "machine" && request.level != "protocol" && request.level != "both") {
        session.report(codes::bad_usage,
                       fmt::format("--level {} is not machine, protocol or both", request.level));
        return std::nullopt;
    }
    std::vector<Mutant> mutants;
    if (request.level != "protocol") mutants = testgen::mutate_machine(component);
    if (request.level != "machine")
        for (Mutant& mutant : testgen::mutate_protocol(*source.projections, cut))
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

}  // namespace

int verb_mutate(Arguments arguments) {
    Session session("mutate");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol");
    line.option("--cut", "ROLE", request.cut, "the role whose component is changed", Needed::yes);
    line.option("--tests", "PATH", request.tests,
                "the tests, as treaty tests wrote them (default: all of the protocol)");
    line.flag("--dual", request.dual,
              "tests that mirror the component, instead of those that play the other roles");
    line.option("--sample", "N", request.sample, "N cases drawn at random (--seed) if there are more");
    line.option("--level", "WHERE", request.level, "what is changed: machine, protocol or both (default)");
    line.flag("--list", request.list, "show the killed ones, too");
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
    testgen::TestSuite suite = source->suite(cuts->front(), request.options.keep());
    bool whole_run = suite.whole_run();
    auto tests = choose_tests(session, request, suite, whole_run);
    auto mutants =
        tests ? make_mutants(session, request, *source, cuts->front(), suite.component()) : std::nullopt;
    if (!mutants) return session.finish();
    options->whole_run = whole_run;
    testgen::MutationOptions how{*options, request.judge.global(), session.options.threads()};
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
        !write_graph(session, marked_machine(suite.component(), *mutants, verdicts), {request.output, {}}))
        return session.finish();
    return finish(session, total);
}

}  // namespace treaty::cli
