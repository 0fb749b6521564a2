// Tests from choreographies: the whole of the seed's table 3.1 in one process, and suites too large to build.
//
//   testgen_bench       prints both tables
//
// The seed's times (000, table 3.1) are of Python and Haskell programs on an i7-6700HQ, so the ratio says
// what one process instead of many is worth, not which machine is faster.
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "choreo/testing_notation.h"
#include "testgen/testing_examples.h"

namespace {

using namespace treaty;
using namespace treaty::testgen;

template <class F>
double seconds(F&& f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Row {
    const char* what;
    double seed;
    double ours;
};

void table_31() {
    constexpr int rounds = 200;
    double project = 0, generate = 0, judge = 0;
    std::size_t tests = 0, failed = 0;
    for (int i = 0; i < rounds; ++i) {
        std::optional<testgen::testing::Example> atm;
        project += seconds([&] { atm.emplace(testgen::testing::atm_text); });
        for (const char* cut : {"A", "B", "C"}) {
            std::vector<TestCase> cases;
            std::optional<TestSuite> suite;
            generate += seconds([&] {
                suite.emplace(atm->suite(cut, Keep::all));
                for (const Count& n : first_cases(suite->size(), 1000)) cases.push_back(suite->at(n));
            });
            judge += seconds([&] {
                Observer observer(atm->projections, suite->cut(), {});
                for (const TestCase& test : cases) {
                    auto verdict = comply(suite->component(), test.machines, &observer, {});
                    failed += verdict.answer == base::Answer::holds ? 0 : 1;
                    ++tests;
                }
            });
        }
    }
    // Projection, generation, and LTS generation with compliance, of the row of all projections.
    const Row rows[] = {{"read and project", 0.0095, project / rounds},
                        {"generate", 0.3874, generate / rounds},
                        {"run and judge", 0.4423 + 0.4235, judge / rounds}};
    fmt::print("{} tests, {} failed\n", tests / rounds, failed);
    fmt::print("{:<18} {:>10} {:>12} {:>9}\n", "table 3.1", "seed (s)", "here (s)", "ratio");
    double seed = 0, ours = 0;
    for (const Row& row : rows) {
        fmt::print("{:<18} {:>10.4f} {:>12.6f} {:>9.0f}\n", row.what, row.seed, row.ours,
                   row.seed / row.ours);
        seed += row.seed;
        ours += row.ours;
    }
    fmt::print("{:<18} {:>10.4f} {:>12.6f} {:>9.0f}\n\n", "all", seed, ours, seed / ours);
}

void large_suites() {
    fmt::print("{:>8} {:>28} {:>12} {:>12} {:>12}\n", "choices", "cases", "project (s)", "count (s)",
               "1000 (s)");
    for (int choices : {10, 20, 40, 80}) {
        std::string text;
        for (int i = 0; i < choices; ++i) text += fmt::format("ch B {{ B->A:x{} }} {{ B->A:y{} }} ; ", i, i);
        std::optional<testgen::testing::Example> example;
        std::optional<TestSuite> suite;
        double project = seconds([&] { example.emplace(text); });
        double count = seconds([&] { suite.emplace(example->suite("A")); });
        double first = seconds([&] {
            for (const Count& n : first_cases(suite->size(), 1000)) suite->at(n);
        });
        fmt::print("{:>8} {:>28} {:>12.6f} {:>12.6f} {:>12.6f}\n", choices, suite->size().get_str(), project,
                   count, first);
    }
}

}  // namespace

int main() {
    table_31();
    large_suites();
}
