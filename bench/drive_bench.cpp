// What testing costs beside the talking itself: the same ping-pong over loopback, bare and checked, in turns,
// so that the ratio holds on a busy machine. Then connections: set up, one question, one answer, closed. Then
// eight conversations at once, as --parallel has them, beside a bare client with as many connections in
// flight: a thread each, and all of them in one thread that never waits for a single one.
//
//   drive_bench [seconds each]
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

#include <cstdlib>
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

}  // namespace

int main(int argc, char** argv) {
    double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3;
    signal(SIGPIPE, SIG_IGN);
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
}
