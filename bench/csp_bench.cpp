// Refinement of a large machine against its own minimised form, as a ratio of what exploring the machine
// takes; and how fast AUT files are read.
//
//   csp_bench [STATES]
//
// The machine has STATES states (default 200,000) with five edges each: STATES / 50 different behaviours,
// every one many times over, so that its minimised form is smaller and both sides are walked through all of
// it. Exploring is a plain breadth-first walk over the machine. Times are the least of five, alternating.

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "choreo/minimise.h"
#include "explore/refine/refine.h"
#include "formats/aut/aut.h"

using namespace treaty;
using model::LabelId;
using model::Machine;
using model::StateId;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Copies of a random deterministic machine, whose edges go to a random copy.
Machine large(std::size_t states, std::size_t copies) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    std::vector<LabelId> labels;
    for (int i = 0; i < 12; ++i)
        labels.push_back(alphabet->send(a, b, alphabet->message(fmt::format("m{}", i))));
    std::size_t kernel = states / copies;
    std::mt19937_64 random(1);
    model::MachineBuilder builder("A", alphabet, a);
    for (std::size_t i = 0; i < states; ++i) builder.state();
    for (std::size_t k = 0; k < kernel; ++k) {
        std::vector<LabelId> some = labels;
        std::shuffle(some.begin(), some.end(), random);
        for (std::size_t e = 0; e < 5; ++e) {
            std::size_t target = e == 0 ? (k + 1) % kernel : random() % kernel;
            for (std::size_t c = 0; c < copies; ++c)
                builder.edge(StateId(k * copies + c), some[e],
                             StateId(target * copies +
                                     (e == 0 ? (c + (k + 1 == kernel)) % copies : random() % copies)));
        }
    }
    return builder.finish().value();
}

std::size_t walk(const Machine& machine) {
    std::vector<bool> known(machine.state_count());
    std::vector<StateId> queue{StateId(0u)};
    known[0] = true;
    std::size_t edges = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (const model::Edge& e : machine.out(queue[i])) {
            ++edges;
            if (known[e.target.index]) continue;
            known[e.target.index] = true;
            queue.push_back(e.target);
        }
    return edges;
}

void aut_speed(const Machine& machine) {
    base::Diagnostics diagnostics;
    formats::Conversion conversion("aut", diagnostics, formats::LossPolicy::allow);
    auto text = formats::write_aut(machine, conversion);
    if (!text) return fmt::print("the machine has no AUT text\n");
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        base::SourceMap sources;
        base::FileId file = sources.add("large.aut", *text);
        auto begin = Clock::now();
        auto read = formats::read_aut(sources, file, diagnostics);
        best = std::min(best, since(begin));
        if (!read || read->edge_count() != machine.edge_count()) return fmt::print("AUT: wrong machine\n");
    }
    double megabytes = static_cast<double>(text->size()) / 1e6;
    fmt::print("AUT: {:.1f} MB read in {:.3f} s: {:.0f} MB/s\n", megabytes, best, megabytes / best);
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t states = argc > 1 ? std::stoull(argv[1]) : 200'000;
    Machine machine = large(states, 50);
    Machine small = choreo::minimise(machine);
    fmt::print("{} states, {} transitions; minimised {} states, {} transitions\n", machine.state_count(),
               machine.edge_count(), small.state_count(), small.edge_count());
    double explore = 1e9, traces = 1e9, failures = 1e9;
    for (int i = 0; i < 5; ++i) {
        auto begin = Clock::now();
        std::size_t edges = walk(machine);
        explore = std::min(explore, since(begin));
        for (auto o : {explore::Observation::traces, explore::Observation::failures}) {
            explore::RefineOptions options;
            options.observation = o;
            begin = Clock::now();
            explore::MachineGraph s(small), m(machine);
            explore::RefineReport report = explore::refines(s, m, options);
            double& best = o == explore::Observation::traces ? traces : failures;
            best = std::min(best, since(begin));
            if (report.answer != base::Answer::holds || report.transitions != edges)
                return fmt::print("wrong: {} after {} of {} transitions\n", report.reason, report.transitions,
                                  edges),
                       1;
        }
    }
    fmt::print("{:<28} {:>10} {:>10}\n", "", "seconds", "ratio");
    fmt::print("{:<28} {:>10.4f} {:>10.2f}\n", "exploring (plain walk)", explore, 1.0);
    fmt::print("{:<28} {:>10.4f} {:>10.2f}\n", "traces refinement", traces, traces / explore);
    fmt::print("{:<28} {:>10.4f} {:>10.2f}\n", "failures refinement", failures, failures / explore);
    aut_speed(machine);
    return 0;
}
