// Searches one of the families and prints what it cost, one line of "key=value" fields.
//
//   explore_bench FAMILY [reduce] [compress] [jobs=N] [endless] [repeat=N]
//   explore_bench FAMILY promela        the family for SPIN
//
// Times are of the search alone, CPU and wall, the least of the repetitions. bench/explore_vs_spin.py runs
// it.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "explore/safety.h"
#include "explore/testing/families.h"
#include "explore_promela.h"

namespace {

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace treaty;
    if (argc < 2) {
        fmt::print(stderr, "usage: explore_bench FAMILY [reduce] [compress] [jobs=N] [endless] [repeat=N]\n");
        return 2;
    }
    auto system = explore::named_family(argv[1]);
    if (!system) {
        fmt::print(stderr, "explore_bench: no family {}\n", argv[1]);
        return 2;
    }
    explore::ExploreOptions options;
    options.reduce = options.endless = false;
    int repeat = 1;
    for (int i = 2; i < argc; ++i) {
        std::string_view word = argv[i];
        if (word == "promela") return fmt::print("{}", bench::to_promela(*system)), 0;
        if (word == "reduce")
            options.reduce = true;
        else if (word == "compress")
            options.compress = true;
        else if (word == "endless")
            options.endless = true;
        else if (word.starts_with("jobs="))
            options.jobs = static_cast<unsigned>(std::stoul(std::string(word.substr(5))));
        else if (word.starts_with("repeat="))
            repeat = std::stoi(std::string(word.substr(7)));
        else
            return fmt::print(stderr, "explore_bench: unknown word {}\n", word), 2;
    }
    double wall = 1e9, cpu = 1e9;
    explore::ExploreReport report;
    for (int i = 0; i < repeat; ++i) {
        double cpu_before = cpu_seconds();
        auto before = std::chrono::steady_clock::now();
        report = explore::explore(*system, options);
        wall =
            std::min(wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
        cpu = std::min(cpu, cpu_seconds() - cpu_before);
    }
    fmt::print(
        "family={} states={} transitions={} answer={} bytes={} bytes_per_state={:.2f} wall={:.4f} cpu={:.4f} "
        "states_per_second={:.0f}\n",
        argv[1], report.states, report.transitions, base::to_string(report.answer), report.bytes,
        static_cast<double>(report.bytes) / static_cast<double>(std::max<std::uint64_t>(1, report.states)),
        wall, cpu, static_cast<double>(report.states) / cpu);
    return 0;
}
