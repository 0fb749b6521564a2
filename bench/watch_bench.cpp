// How fast recorded traffic is judged, as ratios within one run.
//
//   watch_bench [seconds-a-measurement]
//
// JSON lines are made in memory and written to a file once; each measurement reads them from there. "simdjson
// alone" parses the same lines with the same parser and looks at nothing.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include "formats/load.h"
#include "watch/merge.h"
#include "watch/monitor.h"
#include "watch/watcher.h"

namespace treaty {
namespace {

using Clock = std::chrono::steady_clock;

model::Specification specification(const std::string& text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("bench.treaty", text);
    auto loaded = formats::read(sources, file, diagnostics);
    if (!loaded.get<model::Specification>()) {
        fmt::print("the benchmark's protocol cannot be read\n");
        std::exit(2);
    }
    return std::get<model::Specification>(std::move(loaded.model));
}

// A service that answers, over and over; so many properties of it.
std::string service(std::size_t properties) {
    std::string text =
        "message Request(weight: int)\nmessage Response(price: int, fee: int)\n"
        "protocol P(c, s) {\n repeat at c {\n  c -> s: Request(let w)\n  s -> c: Response(let p, let f)\n "
        "}\n}\n";
    for (std::size_t i = 0; i < properties; ++i)
        text += fmt::format(
            "property Q{} at s {{\n after c -> s: Request(weight = w){}\n expect s -> c: Response(price = p, "
            "fee = f) "
            "where f == w * p\n within 1\n}}\n",
            i, i == 0 ? "" : fmt::format(" where w == {}", i));
    return text;
}

struct Log {
    std::string path;
    std::uint64_t messages = 0, bytes = 0;
};

class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("treaty-bench-{}", ::getpid())) {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Log log(const std::string& name, const std::vector<std::string>& lines) const {
        Log log{(path_ / name).string(), lines.size(), 0};
        std::ofstream file(log.path, std::ios::binary);
        for (const std::string& line : lines) {
            file << line << '\n';
            log.bytes += line.size() + 1;
        }
        return log;
    }

private:
    std::filesystem::path path_;
};

std::vector<std::string> requests(std::size_t messages, std::size_t sessions) {
    std::mt19937_64 random(1);
    std::vector<std::string> lines;
    std::vector<int> open(sessions, -1);
    for (std::size_t i = 0; lines.size() < messages; ++i) {
        std::size_t s = sessions == 1 ? 0 : random() % sessions;
        // Every session is live from the first round on.
        if (i < sessions) s = i;
        if (open[s] < 0) {
            open[s] = static_cast<int>(random() % 100);
            lines.push_back(fmt::format(
                R"({{"time": {}.5, "role": "s", "dir": "?", "peer": "c", "message": "Request", "data": {{"weight": {}}}, "session": "session-{}"}})",
                1'700'000'000 + i, open[s], s));
        } else {
            lines.push_back(fmt::format(
                R"({{"time": {}.5, "role": "s", "dir": "!", "peer": "c", "message": "Response", "data": {{"price": 3, "fee": {}}}, "session": "session-{}"}})",
                1'700'000'000 + i, open[s] * 3, s));
            open[s] = -1;
        }
    }
    return lines;
}

// Messages a second, the best of several runs.
template <class Run>
double rate(double seconds, std::uint64_t messages, const Run& run) {
    double best = 0;
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    do {
        auto start = Clock::now();
        run();
        best = std::max(best, static_cast<double>(messages) /
                                  std::chrono::duration<double>(Clock::now() - start).count());
    } while (Clock::now() < end);
    return best;
}

double parse_alone(double seconds, const Log& log) {
    return rate(seconds, log.messages, [&] {
        watch::LineReader lines(log.path);
        simdjson::dom::parser parser;
        std::string_view line;
        bool too_long = false;
        std::uint64_t objects = 0;
        while (lines.next(line, too_long) == watch::Line::line) {
            simdjson::dom::object object;
            objects += !parser.parse(line.data(), line.size(), false).get(object);
        }
        if (objects != log.messages) fmt::print("not all lines are JSON\n");
    });
}

struct Judged {
    double opening = 0;  // messages per second until every session is live
    double live = 0;     // from then on
};

// As `treaty watch` does it; what falls is thrown away. The first `opening` messages open the sessions.
Judged judge(double seconds, const model::Specification& spec, const Log& log, std::uint64_t opening = 0) {
    Judged best;
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    do {
        const model::Protocol& protocol = *spec.main_protocol();
        watch::Vocabulary vocabulary(spec, protocol);
        std::vector<std::unique_ptr<watch::Source>> sources;
        sources.push_back(std::move(*watch::open_source(log.path, vocabulary, {})));
        watch::MonitorOptions options;
        auto monitor = watch::Monitor::make(spec, protocol, options);
        watch::Merge merge(std::move(sources), false, spec);
        watch::Watcher watcher(spec, protocol, *monitor, merge, {log.path}, options, {});
        if (auto begun = watcher.begin(); !begun) fmt::print("{}\n", begun.error());
        auto seconds_of = [&](std::uint64_t messages) {
            auto start = Clock::now();
            for (std::uint64_t i = 0; i < messages; ++i)
                if (watcher.step() != watch::ReadResult::record) fmt::print("a message is missing\n");
            return std::chrono::duration<double>(Clock::now() - start).count();
        };
        best.opening = std::max(best.opening, static_cast<double>(opening) / seconds_of(opening));
        best.live = std::max(
            best.live, static_cast<double>(log.messages - opening) / seconds_of(log.messages - opening));
    } while (Clock::now() < end);
    return best;
}

void properties(double seconds, const Folder& folder) {
    Log one = folder.log("one.jsonl", requests(400'000, 1));
    Log thousand = folder.log("thousand.jsonl", requests(400'000, 1000));
    Log million = folder.log("million.jsonl", requests(2'000'000, 1'000'000));
    model::Specification single = specification(service(1)), hundred = specification(service(100));
    double alone = parse_alone(seconds, one);
    double with_one = judge(seconds, single, one).live;
    double with_thousand = judge(seconds, single, thousand, 1000).live;
    Judged with_million = judge(seconds, single, million, 1'000'000);
    double with_hundred = judge(seconds, hundred, one).live;
    auto line = [](const char* what, double reached, double of, const char* of_what, const char* wanted) {
        fmt::print("{:34} {:10.0f} messages/s: {:.2f} of {} ({})\n", what, reached, reached / of, of_what,
                   wanted);
    };
    fmt::print("{:34} {:10.0f} messages/s ({} bytes each)\n", "simdjson alone", alone,
               one.bytes / one.messages);
    line("one property with data", with_one, alone, "simdjson alone", "wanted: 0.50");
    line("  with 1,000 live sessions", with_thousand, with_one, "one session", "wanted: 0.50");
    line("  with 1,000,000 live sessions", with_million.live, with_one, "one session", "wanted: 0.50");
    line("  while opening 1,000,000 sessions", with_million.opening, with_one, "one session",
         "each its first message");
    line("a hundred properties", with_hundred, with_one, "one property", "wanted: 0.20");
}

void branches(double seconds) {
    for (std::size_t n : {2u, 8u, 32u, 128u}) {
        std::string text = "protocol P(a, b) {\n par {\n";
        for (std::size_t i = 0; i < n; ++i)
            text += fmt::format("{}  a -> b: m{}\n  b -> a: r{}\n", i == 0 ? "" : " } and {\n", i, i);
        model::Specification spec = specification(text + " }\n}\n");
        const model::Alphabet& alphabet = *spec.alphabet;
        std::mt19937_64 random(n);
        std::vector<watch::Record> records;
        for (std::size_t session = 0; records.size() < 400'000; ++session) {
            std::vector<std::size_t> left;
            for (std::size_t i = 0; i < n; ++i) left.insert(left.end(), {i, i});
            std::shuffle(left.begin(), left.end(), random);
            std::vector<bool> asked(n);
            for (std::size_t i : left) {
                watch::Record r;
                r.side = watch::Side::both;
                r.name = fmt::format("{}{}", asked[i] ? "r" : "m", i);
                r.message = alphabet.find_message(r.name);
                r.from = alphabet.find_role(asked[i] ? "b" : "a");
                r.to = alphabet.find_role(asked[i] ? "a" : "b");
                r.session = fmt::format("s{}", session);
                r.time_ns = static_cast<std::int64_t>(records.size());
                records.push_back(std::move(r));
                asked[i] = true;
            }
        }
        for (watch::Order order : {watch::Order::causal, watch::Order::sending, watch::Order::disjoint}) {
            watch::MonitorOptions options;
            options.order = order;
            options.expire_ns = 100'000;
            std::uint64_t failed = 0;
            double reached = rate(seconds, records.size(), [&] {
                auto monitor = watch::Monitor::make(spec, *spec.main_protocol(), options);
                std::vector<watch::Fallen> fallen;
                failed = 0;
                for (const watch::Record& r : records) {
                    monitor->feed(r, *r.time_ns, &fallen);
                    fallen.clear();
                }
                for (const auto& report : monitor->finish()) failed += report.failed;
            });
            fmt::print("{:3} parallel branches, {:9}      {:10.0f} messages/s (wanted: 1,000,000){}\n", n,
                       watch::to_string(order), reached, failed ? " FAILED" : "");
        }
    }
}

}  // namespace
}  // namespace treaty

int main(int argc, char** argv) {
    double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
    treaty::Folder folder;
    treaty::properties(seconds, folder);
    treaty::branches(seconds);
}
