// What testing costs beside the talking itself: the same ping-pong over loopback, bare and checked, in turns,
// so that the ratio holds on a busy machine. Then connections: set up, one question, one answer, closed.
//
//   drive_bench [seconds each]
//
// The other side is a process of its own that answers without looking closely; both clients talk to the same
// one.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "drive/address.h"
#include "drive/process_stage.h"
#include "drive/sockets.h"
#include "drive/tester.h"
#include "lang/read.h"

namespace {

using namespace treaty;
using drive::Clock;

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

// Answers every line by itself with one letter changed; one connection at a time.
[[noreturn]] void serve(int listener) {
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

struct Server {
    std::uint16_t port = drive::free_port();
    pid_t pid = -1;
    drive::Address address;
    Server() {
        std::string fault;
        address = *drive::parse_address(fmt::format("tcp://127.0.0.1:{}", port), fault);
        auto listener = drive::listen_at(address, fault);
        pid = fork();
        if (pid == 0) {
            fcntl(listener->get(), F_SETFL, 0);  // accept() waits
            serve(listener->get());
        }
    }
    ~Server() { kill(pid, SIGKILL); }
};

int connect_blocking(const drive::Address& address) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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
        std::string fault;
        part_ = drive::Part::make(*spec_, protocol, role, {client}, "", fault);
        drive::ProgramOptions program;
        program.via[client] = fmt::format("tcp://127.0.0.1:{}", server.port);
        program.keep = true;
        stage_ = drive::make_process_stage(std::move(program));
    }

    void sessions(std::size_t count, std::size_t length, bool by_messages, Measured& into) {
        manners_.length = length;
        manners_.note_values = false;
        auto start = Clock::now();
        for (std::size_t i = 0; i < count; ++i) {
            drive::Outcome outcome = drive::Conversation(*part_, *stage_, manners_).run(seed_++);
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
    std::unique_ptr<drive::Part> part_;
    std::unique_ptr<drive::Stage> stage_;
    drive::Manners manners_;
    std::uint64_t seed_ = 1;
};

void row(const char* name, const Measured& bare, const Measured& checked, double target) {
    double ratio = checked.rate() / bare.rate();
    fmt::print("{:<24} bare {:>9.0f}/s   checked {:>9.0f}/s   ratio {:.2f} (target {:.1f}){}\n", name,
               bare.rate(), checked.rate(), ratio, target, ratio < target ? "  MISSED" : "");
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
}
