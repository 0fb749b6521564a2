#include "drive/companions.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "net/open.h"

namespace treaty::drive {
namespace {

using base::Clock;
using std::chrono::milliseconds;

constexpr std::string_view port_prefix = "port:", log_prefix = "log:";

bool begins(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) && text.size() > prefix.size();
}

bool accepts(const net::Loop& loop, const std::string& port) {
    auto address = net::parse_host_and_port("127.0.0.1:" + port, false);
    return address && net::reach(loop, *address).has_value();
}

// Whether the page is there; waits for a second at most.
bool answers(net::Loop loop, const std::string& url) {
    auto address = net::parse_address(url);
    if (!address) return false;
    address->http_messages = true;
    auto reached = net::reach(loop, *address);
    if (!reached) return false;
    net::Transport& page = **reached;
    page.send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", address->path,
                          net::host_and_port(*address)));
    for (auto until = Clock::now() + milliseconds(1000); Clock::now() < until && !page.closed();) {
        if (auto reply = page.receive())
            return reply->starts_with("HTTP/1.1 2") || reply->starts_with("HTTP/1.1 3");
        page.await_events();
        loop.wait(std::min(until, Clock::now() + milliseconds(50)));
        page.flush();
    }
    return false;
}

std::string how_it_ended(process::Component& program) {
    const process::Ending& end = program.ending();
    std::string_view said = program.errors();
    while (!said.empty() && said.back() == '\n') said.remove_suffix(1);
    said = said.substr(said.rfind('\n') + 1);
    return fmt::format("ended with {} {}{}{}", end.signal ? "signal" : "status",
                       end.signal ? end.signal : end.status, said.empty() ? "" : ": ", said.substr(0, 200));
}

}  // namespace

base::Result<void> check_readiness(const std::string& ready) {
    if (begins(ready, log_prefix)) return {};
    if (begins(ready, port_prefix)) {
        if (net::parse_host_and_port("127.0.0.1:" + ready.substr(port_prefix.size()), false)) return {};
        return base::Fault{fmt::format("`{}` is not a port number", ready.substr(port_prefix.size()))};
    }
    auto address = net::parse_address(ready);
    if (address && address->layer == net::Layer::http && !address->listen) return {};
    return base::Fault{"expected port:NUMBER, log:TEXT or http://HOST:PORT/PATH"};
}

base::Result<void> await_ready(const net::Loop& loop, process::Component& program, const Companion& what,
                               base::Time until, const base::Deadline& deadline) {
    for (auto step = milliseconds(1);; step = std::min(step * 2, milliseconds(50))) {
        program.look();
        bool ready = what.ready.empty();
        if (begins(what.ready, log_prefix))
            ready = program.errors().find(what.ready.substr(log_prefix.size())) != std::string::npos;
        else if (begins(what.ready, port_prefix))
            ready = accepts(loop, what.ready.substr(port_prefix.size()));
        else if (!ready)
            ready = answers(loop, what.ready);
        if (ready) return {};
        if (program.ending().ended)
            return base::Fault{fmt::format("{} {}", what.name, how_it_ended(program))};
        if (Clock::now() >= until || deadline.passed())
            return base::Fault{fmt::format("{} is not ready: no {}", what.name, what.ready)};
        base::pause_until(std::min(until, Clock::now() + step));
    }
}

base::Result<void> Companions::start(const net::Loop& loop, const std::vector<Companion>& all,
                                     const std::string& folder, base::Time until,
                                     const base::Deadline& deadline) {
    running_.clear();
    for (const Companion& one : all) {
        auto program = process::Component::start(one.command, false, folder, one.surroundings);
        if (!program) return base::Fault{fmt::format("{}: {}", one.name, program.error())};
        running_.push_back({one.name, std::move(*program)});
        auto ready = await_ready(loop, *running_.back().program, one, until, deadline);
        if (!ready) return ready;
    }
    return {};
}

void Companions::stop() {
    // In the order opposite to that of their start, so that none misses another.
    while (!running_.empty()) running_.pop_back();
}

std::string Companions::ended() {
    for (Running& one : running_) {
        one.program->look();
        if (one.program->ending().ended) return fmt::format("{} {}", one.name, how_it_ended(*one.program));
    }
    return {};
}

}  // namespace treaty::drive
