// Tests from choreographies: all of Coto 2023, table 3.1, in one process, and suites too large to build.
//
//   testgen_bench       prints the tables; exits with 1 if what is promised of large suites does not hold, or
//                       the fate of a mutant depends on the number of threads
//
// The times of Coto 2023, table 3.1, are of Python and Haskell programs on an i7-6700HQ, so the ratio says
// what one process instead of many is worth, not which machine is faster. The programs themselves (ChorGram,
// ChorTest) are in no Debian package, so they do not run here.
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "formats/load.h"
#include "lang/read.h"
#include "testgen/comply.h"
#include "testgen/mutation.h"
#include "testgen/test_suite.h"
#include "testgen/translate.h"

namespace {

using namespace treaty;
using namespace treaty::testgen;

template <class F>
double seconds(F&& f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A protocol from its text, and its machines.
struct Source {
    base::SourceMap sources;
    base::FileId file;
    std::optional<model::Specification> specification;
    Projections projections;

    explicit Source(std::string text) : file(sources.add("bench.treaty", std::move(text))) {}
    void parse() {
        base::Diagnostics diagnostics;
        specification = lang::read(sources, file, diagnostics);
    }
    void project() {
        projections = *make_projections(*specification, *specification->main_protocol(), 2).projections;
    }
    TestSuite suite(model::RoleId cut, Keep keep) const {
        return TestSuite(projections, cut, keep, final_states(projections));
    }
    model::Machine load(const std::string& path, model::RoleId role) {
        base::Diagnostics diagnostics;
        auto loaded = formats::load(path, sources, diagnostics);
        const auto* system = loaded.get<model::System>();
        for (const model::Machine& machine : system->machines())
            if (system->alphabet().name(machine.role()) == specification->alphabet->name(role))
                return *translate(machine, role, specification->alphabet);
        return projections.machines.front();
    }
};

struct Row {
    const char* what;
    const char* faulty;          // the machine of A; null: all projections
    std::array<double, 3> seed;  // projection, generation, LTS and compliance
    std::array<double, 3> ours{};
    std::size_t tests = 0, failed = 0;
};

void measure(Row& row, const std::string& text) {
    Source source(text);
    row.ours[0] += seconds([&] {
        source.parse();
        source.project();
    });
    for (const char* name : {"A", "B", "C"}) {
        if (row.faulty && *name != 'A') continue;
        model::RoleId cut = source.specification->alphabet->find_role(name);
        std::optional<TestSuite> suite;
        std::vector<TestCase> cases;
        row.ours[1] += seconds([&] {
            suite.emplace(source.suite(cut, Keep::all));
            for (const Count& n : first_cases(suite->size(), 1000)) cases.push_back(suite->at(n));
        });
        model::Machine component =
            row.faulty ? source.load(std::string(TREATY_SOURCE_DIR) + "/examples/atm/" + row.faulty, cut)
                       : suite->component();
        row.ours[2] += seconds([&] {
            Observer observer(source.projections, cut, {});
            for (const TestCase& test : cases) {
                auto verdict = comply(component, test.machines, &observer, {});
                row.failed += verdict.answer == base::Answer::holds ? 0 : 1;
                ++row.tests;
            }
        });
    }
}

void table_31() {
    constexpr int rounds = 100;
    auto text = base::read_file(std::string(TREATY_SOURCE_DIR) + "/examples/atm/atm.treaty");
    Row rows[] = {{"projections", nullptr, {0.0095, 0.3874, 0.4423 + 0.4235}},
                  {"A.1", "a1.fsa", {0.0096, 0.3522, 0.3062 + 0.2722}},
                  {"A.2", "a2.fsa", {0.0102, 0.3379, 0.2979 + 0.2563}},
                  {"A.3", "a3.fsa", {0.0094, 0.3333, 0.2992 + 0.2868}}};
    fmt::print("{:<12} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10} {:>9} {:>7}\n", "table 3.1", "tests", "failed",
               "project", "generate", "judge", "all (s)", "seed (s)", "ratio");
    double seed_all = 0, ours_all = 0;
    for (Row& row : rows) {
        for (int i = 0; i < rounds; ++i) measure(row, *text);
        double seed = 0, ours = 0;
        for (double& s : row.ours) ours += s /= rounds;
        for (double s : row.seed) seed += s;
        fmt::print("{:<12} {:>6} {:>6} {:>10.6f} {:>10.6f} {:>10.6f} {:>10.6f} {:>9.4f} {:>7.0f}\n", row.what,
                   row.tests / rounds, row.failed / rounds, row.ours[0], row.ours[1], row.ours[2], ours, seed,
                   seed / ours);
        seed_all += seed;
        ours_all += ours;
    }
    fmt::print("{:<12} {:>57.6f} {:>9.4f} {:>7.0f}\n\n", "all", ours_all, seed_all, seed_all / ours_all);
}

bool large_suites() {
    bool good = true;
    fmt::print("{:>8} {:>28} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "choices", "cases", "parse (s)",
               "project (s)", "count (s)", "count/parse", "1000 (s)");
    for (int choices : {10, 20, 40, 80}) {
        std::string text = "protocol Many(A, B) {\n";
        for (int i = 0; i < choices; ++i)
            text +=
                fmt::format("  choice at B {{\n    B -> A: x{}\n  }} or {{\n    B -> A: y{}\n  }}\n", i, i);
        text += "}\n";
        double parse = 1e9, project = 1e9, count = 1e9, first = 1e9;
        std::string size;
        for (int round = 0; round < 20; ++round) {
            Source source(text);
            parse = std::min(parse, seconds([&] { source.parse(); }));
            project = std::min(project, seconds([&] { source.project(); }));
            std::optional<TestSuite> suite;
            model::RoleId cut = source.specification->alphabet->find_role("A");
            count = std::min(count, seconds([&] { suite.emplace(source.suite(cut, Keep::reachable)); }));
            first = std::min(first, seconds([&] {
                                 for (const Count& n : first_cases(suite->size(), 1000)) suite->at(n);
                             }));
            size = suite->size().get_str();
        }
        fmt::print("{:>8} {:>28} {:>12.6f} {:>12.6f} {:>12.6f} {:>12.3f} {:>12.6f}\n", choices, size, parse,
                   project, count, count / parse, first);
        if (choices == 40) good = good && count <= parse && first <= 1.0;
    }
    return good;
}

// The same mutants with one thread and with two.
bool mutants_in_parallel() {
    bool same = true;
    fmt::print("\n{:<24} {:>8} {:>8} {:>12} {:>12} {:>8}\n", "mutants of", "mutants", "killed",
               "1 thread (s)", "2 threads", "ratio");
    for (auto [file, role] : {std::pair("atm/atm", "A"), std::pair("smtp/smtp", "server")}) {
        std::string path = fmt::format("{}/examples/{}.treaty", TREATY_SOURCE_DIR, file);
        Source source(*base::read_file(path));
        source.parse();
        source.project();
        model::RoleId cut = source.specification->alphabet->find_role(role);
        TestSuite suite = source.suite(cut, Keep::reachable);
        std::vector<TestCase> tests;
        for (const Count& n : first_cases(suite.size(), 1000)) tests.push_back(suite.at(n));
        TestCase whole = suite.whole();
        std::vector<Mutant> mutants = mutate_machine(suite.component());
        for (Mutant& mutant : mutate_protocol(source.projections, cut)) mutants.push_back(std::move(mutant));
        std::array<double, 2> best{1e9, 1e9};
        std::array<std::vector<MutantVerdict>, 2> verdicts;
        for (int round = 0; round < 5; ++round)
            for (unsigned jobs : {1u, 2u}) {
                MutationOptions options;
                options.jobs = jobs;
                options.every_case = true;
                double time = seconds([&] {
                    verdicts[jobs - 1] =
                        judge_mutants(source.projections, cut, mutants, tests, whole, options);
                });
                best[jobs - 1] = std::min(best[jobs - 1], time);
            }
        std::size_t killed = 0;
        for (std::size_t i = 0; i < mutants.size(); ++i) {
            const MutantVerdict &one = verdicts[0][i], &two = verdicts[1][i];
            same = same && one.fate == two.fate && one.test == two.test && one.explanation == two.explanation;
            killed += one.fate == Fate::killed ? 1 : 0;
        }
        fmt::print("{:<24} {:>8} {:>8} {:>12.4f} {:>12.4f} {:>8.2f}\n", fmt::format("{} {}", file, role),
                   mutants.size(), killed, best[0], best[1], best[0] / best[1]);
    }
    return same;
}

}  // namespace

int main() {
    table_31();
    bool good = large_suites();
    bool same = mutants_in_parallel();
    fmt::print("\nthe same fates with one thread and with two: {}\n", same ? "yes" : "NO");
    fmt::print("\n40 choices: counted no slower than parsed, 1000 cases within a second: {}\n",
               good ? "yes" : "NO");
    return good && same ? 0 : 1;
}
