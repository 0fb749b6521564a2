// The online procedure against an in-process system: tests a second, and whether a test gets dearer with what
// is known.
//
//   complete_bench [TESTS]
//
// The specification is a bounded counter, the system the specification itself, so that testing goes on for as
// long as it is let. The run is cut into quarters of equal numbers of traces looked at, with and without
// tests: a larger counter has more traces after which nothing can go wrong, and how many depends on their
// length. The last column is the time of a trace of the last quarter against one of the first, the least of
// three runs each: 1 means that it costs the same however many are excluded and however long they are.

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "complete/domains.h"
#include "complete/online.h"

using namespace treaty;
using Clock = std::chrono::steady_clock;

namespace {

model::Machine counter(const std::shared_ptr<model::Alphabet>& alphabet, std::size_t size) {
    model::MachineBuilder builder("counter", alphabet);
    for (std::size_t i = 0; i <= size; ++i) builder.state();
    for (std::size_t i = 0; i < size; ++i) {
        builder.edge(model::StateId(i), alphabet->plain("add"), model::StateId(i + 1));
        builder.edge(model::StateId(i + 1), alphabet->plain("sub"), model::StateId(i));
    }
    return builder.finish().value();
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t tests = argc > 1 ? std::stoull(argv[1]) : 1'000'000;
    fmt::print("{:<10} {:>10} {:>14} {:>10} {:>12} {:>22}\n", "states", "tests", "tests/second", "excluded",
               "longest", "last/first quarter");
    for (std::size_t size : {2, 3, 4}) {
        auto alphabet = std::make_shared<model::Alphabet>();
        model::Machine spec = counter(alphabet, size);
        explore::MachineGraph s(spec), u(spec);
        std::vector<model::LabelId> events = complete::events_of(s, 1000).labels;
        model::Machine any = complete::any_process(alphabet, events, explore::Observation::traces);
        explore::MachineGraph domain(any);
        complete::Product product(s, domain, explore::Observation::traces, {});
        std::array<double, 4> quarters;
        quarters.fill(1e9);
        double best = 1e9;
        complete::OnlineReport report;
        std::uint64_t quarter_traces = 0;  // unknown before the first run
        for (int i = 0; i < 4; ++i) {
            complete::GraphSut sut(u, *alphabet);
            complete::OnlineOptions options;
            options.tests = tests;
            std::uint64_t looked_at = 0;
            std::size_t done = 0;
            auto begin = Clock::now(), quarter = begin;
            options.progress = [&](const complete::OnlineProgress&) {
                looked_at += options.progress_every;
                if (quarter_traces == 0 || done == 4 || looked_at < (done + 1) * quarter_traces) return;
                auto now = Clock::now();
                double& least = quarters[done++];
                least = std::min(least, std::chrono::duration<double>(now - quarter).count());
                quarter = now;
            };
            report = complete::test_online(product, *alphabet, sut, options);
            best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
            // Progress is reported for traces that are visited, not of those that are known to be excluded.
            quarter_traces = std::max<std::uint64_t>(1, looked_at / 4);
        }
        fmt::print("{:<10} {:>10} {:>14.0f} {:>10} {:>12} {:>22.2f}\n", size + 1, report.tests,
                   static_cast<double>(report.tests) / best, report.excluded, report.length,
                   quarters[3] / quarters[0]);
    }
    return 0;
}
