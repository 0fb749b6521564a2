// What testing costs beside the talking itself: the same ping-pong over loopback, bare and checked, in turns,
// so that the ratio holds on a busy machine. Then connections: set up, one question, one answer, closed. Then
// eight conversations at once, as --parallel has them, beside a bare client with as many connections in
// flight: a thread each, and all of them in one thread that never waits for a single one. Last a protocol
// whose conditions depend on what was stored (bench/three_keys.treaty), beside a bare client that sends the
// same kinds of commands and looks at no answer; here what counts is CPU time of the tester.
//
//   drive_bench [seconds each [only: all, state]]
//
// The other side is a process of its own that answers without looking closely; both clients talk to the same
// one.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "campaign/campaign.h"
#include "drive/process_stage.h"
#include "drive/tester.h"
#include "lang/read.h"
#include "net/address.h"
#include "net/port.h"

namespace {

using namespace treaty;
using base::Clock;

const char* text = R"(
message ping(n: int) where n >= 0 and n < 1000000
message pong(n: int)
protocol Ping(client, server) {
  repeat at client {
    client -> server: ping(let n)
    server -> client: pong(n)
  }
}
wire Lines over lines "\r\n" {
  ping(n) = "PING " n:/[0-9]+/
  pong(n) = "PONG " n:/[0-9]+/
}
)";

constexpr int at_once = 8;

// Answers every line by itself with one letter changed; one connection at a time, so many processes.
[[noreturn]] void serve(int listener, int processes) {
    for (int i = 1; i < processes; ++i)
        if (fork() == 0) break;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int fd = accept(listener, nullptr, nullptr);
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        char buffer[4096];
        for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
            for (ssize_t i = 0; i < n; ++i)
                if (buffer[i] == 'I') buffer[i] = 'O';
            if (write(fd, buffer, static_cast<std::size_t>(n)) != n) break;
        }
        close(fd);
    }
}

sockaddr_in on_loopback(const net::Address& address) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(address.port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

int listen_blocking(const net::Address& address) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in at = on_loopback(address);
    if (bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(fd, 256) != 0) std::exit(1);
    return fd;
}

struct Server {
    net::ClaimedPort port;
    pid_t pid = -1;
    net::Address address;
    explicit Server(int processes = 1) {
        address = *net::parse_address(fmt::format("tcp://127.0.0.1:{}", port.number()));
        int listener = listen_blocking(address);
        pid = fork();
        if (pid == 0) serve(listener, processes);
        close(listener);
    }
    ~Server() { kill(pid, SIGKILL); }
};

int connect_blocking(const net::Address& address) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to = on_loopback(address);
    if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) std::exit(1);
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

void ask_once(int fd, std::uint32_t n) {
    char out[32], in[64];
    int size = snprintf(out, sizeof out, "PING %u\r\n", n);
    if (write(fd, out, static_cast<std::size_t>(size)) != size) std::exit(1);
    for (ssize_t got = 0; got < size;) {
        ssize_t one = read(fd, in + got, sizeof in - static_cast<std::size_t>(got));
        if (one <= 0) std::exit(1);
        got += one;
    }
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Measured {
    std::uint64_t count = 0;
    double seconds = 0;
    double rate() const { return static_cast<double>(count) / seconds; }
};

void bare_round_trips(const Server& server, std::size_t count, Measured& into) {
    int fd = connect_blocking(server.address);
    auto start = Clock::now();
    for (std::size_t i = 0; i < count; ++i) ask_once(fd, static_cast<std::uint32_t>(i * 7919 % 1000000));
    into.seconds += seconds_since(start);
    into.count += count;
    close(fd);
}

void bare_connections(const Server& server, std::size_t count, Measured& into) {
    auto start = Clock::now();
    for (std::size_t i = 0; i < count; ++i) {
        int fd = connect_blocking(server.address);
        ask_once(fd, static_cast<std::uint32_t>(i));
        shutdown(fd, SHUT_WR);
        char rest[16];
        if (read(fd, rest, sizeof rest) != 0) std::exit(1);
        close(fd);
    }
    into.seconds += seconds_since(start);
    into.count += count;
}

// A thread for each connection.
void bare_threads(const Server& server, std::size_t count, Measured& into) {
    std::vector<int> fds;
    for (int i = 0; i < at_once; ++i) fds.push_back(connect_blocking(server.address));
    auto start = Clock::now();
    std::vector<std::thread> threads;
    for (int fd : fds)
        threads.emplace_back([fd, count] {
            for (std::size_t i = 0; i < count; ++i) ask_once(fd, static_cast<std::uint32_t>(i));
        });
    for (std::thread& one : threads) one.join();
    into.seconds += seconds_since(start);
    into.count += count * at_once;
    for (int fd : fds) close(fd);
}

// All connections in one thread: one that has its answer asks again.
void bare_polled(const Server& server, std::size_t count, Measured& into) {
    std::vector<pollfd> all;
    for (int i = 0; i < at_once; ++i) all.push_back({connect_blocking(server.address), POLLIN, 0});
    auto start = Clock::now();
    char out[32], in[64];
    int size = snprintf(out, sizeof out, "PING %u\r\n", 4711u);
    std::size_t open = count * at_once;
    for (pollfd& one : all)
        if (write(one.fd, out, static_cast<std::size_t>(size)) != size) std::exit(1);
    while (open > 0) {
        poll(all.data(), all.size(), -1);
        for (pollfd& one : all)
            if (one.revents != 0 && open > 0) {
                if (read(one.fd, in, sizeof in) <= 0) std::exit(1);
                --open;
                if (write(one.fd, out, static_cast<std::size_t>(size)) != size) std::exit(1);
            }
    }
    into.seconds += seconds_since(start);
    into.count += count * at_once;
    for (pollfd& one : all) close(one.fd);
}

class Checked {
public:
    explicit Checked(const Server& server) {
        spec_ = lang::read(sources_, sources_.add("bench.treaty", text), diagnostics_);
        if (!spec_) {
            fmt::print("the protocol cannot be read\n");
            std::exit(1);
        }
        const model::Protocol& protocol = spec_->protocols.back();
        model::RoleId client = spec_->alphabet->find_role("client"),
                      role = spec_->alphabet->find_role("server");
        part_ = std::move(*roles::RolePart::make(*spec_, protocol, role, {client}, ""));
        part_for_tester_ = std::move(*roles::RolePart::make(*spec_, protocol, role, {client}, ""));
        drive::ProgramOptions program;
        program.via[client] = fmt::format("tcp://127.0.0.1:{}", server.port.number());
        program.keep = true;
        stage_ = drive::make_process_stage(program);
        stage_for_tester_ = drive::make_process_stage(std::move(program));
    }

    // For a campaign of several at once, once.
    std::unique_ptr<drive::Tester> tester(std::size_t length) {
        manners_.length = length;
        manners_.note_values = false;
        manners_.spin = false;
        return std::make_unique<drive::Tester>(std::move(part_for_tester_), std::move(stage_for_tester_),
                                               manners_, true);
    }

    void sessions(std::size_t count, std::size_t length, bool by_messages, Measured& into) {
        manners_.length = length;
        manners_.note_values = false;
        auto start = Clock::now();
        for (std::size_t i = 0; i < count; ++i) {
            drive::SessionResult outcome = drive::Conversation(*part_, *stage_, manners_).run(seed_++);
            if (outcome.verdict != drive::Verdict::pass) {
                fmt::print("a right server fails: {}\n", outcome.reason);
                std::exit(1);
            }
            into.count += by_messages ? outcome.exchanges.size() / 2 : 1;
        }
        into.seconds += seconds_since(start);
    }

private:
    base::SourceMap sources_;
    base::Diagnostics diagnostics_;
    std::optional<model::Specification> spec_;
    std::unique_ptr<roles::RolePart> part_, part_for_tester_;
    std::unique_ptr<drive::Stage> stage_, stage_for_tester_;
    drive::SessionOptions manners_;
    std::uint64_t seed_ = 1;
};

void row(const char* name, const Measured& bare, const Measured& checked, double target) {
    double ratio = checked.rate() / bare.rate();
    fmt::print("{:<24} bare {:>9.0f}/s   checked {:>9.0f}/s   ratio {:.2f} (target {:.1f}){}\n", name,
               bare.rate(), checked.rate(), ratio, target, ratio < target ? "  MISSED" : "");
}

void parallel_campaign(const std::vector<std::unique_ptr<drive::Tester>>& testers, std::uint64_t seed,
                       Measured& into) {
    campaign::CampaignOptions options;
    options.sessions = testers.size();
    options.seed = seed;
    auto start = Clock::now();
    campaign::CampaignResult result =
        campaign::run_campaign(testers, options, [](const campaign::CampaignResult&) {});
    if (result.completed != result.sessions) {
        fmt::print("a right server fails\n");
        std::exit(1);
    }
    into.seconds += seconds_since(start);
    into.count += result.messages / 2;
}

void measure_parallel(double seconds) {
    Server server(at_once);
    std::vector<std::unique_ptr<Checked>> all;
    std::vector<std::unique_ptr<drive::Tester>> testers;
    for (int i = 0; i < at_once; ++i) {
        all.push_back(std::make_unique<Checked>(server));
        testers.push_back(all.back()->tester(10'000));
    }
    Measured threads, polled, checked;
    for (std::uint64_t seed = 1; threads.seconds < seconds; ++seed) {
        bare_threads(server, 5000, threads);
        parallel_campaign(testers, seed, checked);
        bare_polled(server, 5000, polled);
    }
    row("8 at once, threads", threads, checked, 0.5);
    row("8 at once, polled", polled, checked, 0.5);
}

// --- With state

std::string file_text(const std::string& path) {
    std::ifstream in(TREATY_SOURCE_DIR "/" + path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// What of memcached bench/three_keys.treaty uses.
class Store {
public:
    // The answer to the first whole command, which is taken away; nothing if there is none.
    std::optional<std::string> answer(std::string& input) {
        std::size_t end = input.find("\r\n");
        if (end == std::string::npos) return std::nullopt;
        std::istringstream line(input.substr(0, end));
        std::string command, key, flags, expires;
        line >> command >> key;
        bool stores = command == "set" || command == "add" || command == "replace" || command == "append" ||
                      command == "prepend";
        std::size_t size = 0;
        if (stores) line >> flags >> expires >> size;
        if (stores && input.size() < end + 2 + size + 2) return std::nullopt;
        std::string data = stores ? input.substr(end + 2, size) : "";
        input.erase(0, end + 2 + (stores ? size + 2 : 0));
        bool there = items_.contains(key);
        if (command == "flush_all") return items_.clear(), "OK\r\n";
        if (command == "quit") return "";
        if (command == "get") return there ? shown(key) + "END\r\n" : "END\r\n";
        if (command == "delete") return items_.erase(key) > 0 ? "DELETED\r\n" : "NOT_FOUND\r\n";
        if (command == "touch") return there ? "TOUCHED\r\n" : "NOT_FOUND\r\n";
        if (command == "incr" || command == "decr") {
            std::uint64_t by = 0;
            line >> by;
            std::string& old = items_[key].data;
            std::uint64_t n = std::strtoull(old.c_str(), nullptr, 10);
            n = command == "incr" ? n + by : n - by;
            std::string digits = std::to_string(n);
            old = digits.size() < old.size() ? digits + std::string(old.size() - digits.size(), ' ') : digits;
            return digits + "\r\n";
        }
        if (there == (command == "add") && command != "set") return "NOT_STORED\r\n";
        Item& item = items_[key];
        if (command == "append")
            item.data += data;
        else if (command == "prepend")
            item.data = data + item.data;
        else
            item = {flags, data};
        return "STORED\r\n";
    }

private:
    struct Item {
        std::string flags, data;
    };
    std::string shown(const std::string& key) {
        const Item& item = items_[key];
        return fmt::format("VALUE {} {} {}\r\n{}\r\n", key, item.flags, item.data.size(), item.data);
    }
    std::map<std::string, Item> items_;
};

[[noreturn]] void serve_store(int listener) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int fd = accept(listener, nullptr, nullptr), on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        Store store;
        std::string input;
        char buffer[4096];
        for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
            input.append(buffer, static_cast<std::size_t>(n));
            std::string output;
            while (auto one = store.answer(input)) output += *one;
            if (!output.empty() && write(fd, output.data(), output.size()) < 0) break;
        }
        close(fd);
    }
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void measure_state(double seconds) {
    net::ClaimedPort port;
    net::Address address = *net::parse_address(fmt::format("tcp://127.0.0.1:{}", port.number()));
    int listener = listen_blocking(address);
    pid_t pid = fork();
    if (pid == 0) serve_store(listener);
    close(listener);

    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId imported[] = {sources.add("memcached.treaty", file_text("library/memcached.treaty"))};
    base::FileId file = sources.add("three_keys.treaty", file_text("bench/three_keys.treaty"));
    auto spec = lang::read_with(sources, imported, file, diagnostics);
    if (!spec) {
        fmt::print("bench/three_keys.treaty cannot be read\n");
        std::exit(1);
    }
    model::RoleId client = spec->alphabet->find_role("client"), role = spec->alphabet->find_role("server");
    auto part = std::move(*roles::RolePart::make(*spec, spec->protocols.back(), role, {client}, ""));
    drive::ProgramOptions program;
    program.via[client] = fmt::format("tcp://127.0.0.1:{}", port.number());
    program.keep = true;
    auto stage = drive::make_process_stage(program);
    drive::SessionOptions options;
    options.length = 40;

    std::uint64_t bare = 0, checked = 0, seed = 1;
    double bare_cpu = 0, checked_cpu = 0, steady_from = 0;
    std::size_t calls = 0;
    auto start = Clock::now();
    while (seconds_since(start) < seconds) {
        double before = cpu_seconds();
        int fd = connect_blocking(address);
        const char* commands[] = {"set a 0 0 2\r\n10\r\n", "incr a 5\r\n", "decr a 1\r\n", "get a\r\n",
                                  "delete b\r\n"};
        char in[256];
        for (std::size_t i = 0; i < 500; ++i) {
            const char* command = commands[i % std::size(commands)];
            if (write(fd, command, strlen(command)) < 0 || read(fd, in, sizeof in) <= 0) std::exit(1);
        }
        close(fd);
        bare += 1000;
        bare_cpu += cpu_seconds() - before;
        before = cpu_seconds();
        for (int i = 0; i < 20; ++i) {
            drive::SessionResult outcome = drive::Conversation(*part, *stage, options).run(seed++);
            if (outcome.verdict != drive::Verdict::pass) {
                fmt::print("a right server fails: {}\n", outcome.reason);
                std::exit(1);
            }
            checked += outcome.exchanges.size();
        }
        checked_cpu += cpu_seconds() - before;
        if (steady_from == 0 && seconds_since(start) > seconds / 2) {
            steady_from = checked_cpu;
            calls = part->solver_calls();
        }
    }
    kill(pid, SIGKILL);
    fmt::print("with state, by CPU time   bare {:>9.0f} messages/s   checked {:>9.0f}/s (target 20000){}\n",
               static_cast<double>(bare) / bare_cpu, static_cast<double>(checked) / checked_cpu,
               static_cast<double>(checked) / checked_cpu < 20'000 ? "  MISSED" : "");
    fmt::print("                          {} messages, solver calls {}, of these {} in the second half\n",
               checked, part->solver_calls(), part->solver_calls() - calls);
}

}  // namespace

int main(int argc, char** argv) {
    double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3;
    signal(SIGPIPE, SIG_IGN);
    if (argc > 2 && std::string_view(argv[2]) == "state") {
        measure_state(seconds);
        return 0;
    }
    Server server;
    Checked checked(server);
    Measured bare_trips, checked_trips, bare_connects, checked_connects;
    while (bare_trips.seconds < seconds) {
        bare_round_trips(server, 5000, bare_trips);
        checked.sessions(1, 10'000, true, checked_trips);
    }
    while (bare_connects.seconds < seconds) {
        bare_connections(server, 200, bare_connects);
        checked.sessions(200, 2, false, checked_connects);
    }
    row("round trips", bare_trips, checked_trips, 0.8);
    row("connections", bare_connects, checked_connects, 0.7);
    measure_parallel(seconds);
    measure_state(seconds);
}
