#include "watch/proxy.h"

#include <chrono>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/pipe_signal.h"
#include "base/wait.h"
#include "net/open.h"
#include "net/sockets.h"
#include "net/tls.h"

namespace treaty::watch {

namespace {

// One end of a connection: what it says is read, what it is sent is kept until it takes it.
class End {
public:
    explicit End(std::unique_ptr<net::Transport> transport) : transport_(std::move(transport)) {}

    int fd() const { return transport_->input(); }
    bool broken() const { return broken_; }
    bool read_over() const { return left_ || transport_->closed(); }
    bool opening() const { return !left_ && transport_->opening(); }
    bool pending() const { return !left_ && transport_->pending(); }
    std::size_t unsent() const { return left_ ? 0 : transport_->unread(); }
    // Nothing more has to be sent to it.
    bool all_sent() const { return left_ || (finishing_ && unsent() == 0); }

    // Bytes that are there now; nothing if none.
    std::optional<std::string_view> read() {
        if (read_over()) return std::nullopt;
        auto came = net::receive_also_opened(*transport_);
        if (!came && (transport_->broken() || !transport_->fault().empty())) fail();
        return came;
    }
    void push(std::string_view bytes) {
        if (!left_ && !transport_->send(bytes)) fail();
    }
    void flush() {
        if (!left_ && (!transport_->flush() || !transport_->fault().empty())) fail();
    }
    void end_after_sending() {
        if (!left_ && !std::exchange(finishing_, true)) transport_->finish();
    }
    // The other side is gone: what it should still get is dropped.
    void leave() { left_ = true; }
    void fail() { broken_ = left_ = true; }

private:
    std::unique_ptr<net::Transport> transport_;
    bool left_ = false, broken_ = false, finishing_ = false;
};

struct Pair {
    std::size_t link = 0;
    std::uint64_t number = 0;
    End client, service;
    // Of each direction: its reader was too slow; and where to ask what happened at its writer.
    bool held[2] = {false, false}, resumed[2] = {false, false};
    std::size_t places[2] = {0, 0};

    End& from(bool is_client) { return is_client ? client : service; }
    End& to(bool is_client) { return is_client ? service : client; }
    bool over() const { return client.all_sent() && service.all_sent(); }
};

}  // namespace

struct Proxy::Impl {
    ProxyOptions options;
    std::FILE* out = nullptr;
    std::shared_ptr<net::TlsIdentity> towards_clients, towards_targets;
    std::vector<base::Descriptor> listeners;
    std::vector<net::Address> targets;  // by link
    std::vector<Pair> pairs;
    base::WaitSet waiting;
    ProxyCounts counts;
    bool failed = false;
    std::string line;

    bool prepare(std::string& fault) {
        if (!options.certificate.empty() &&
            !(towards_clients = net::TlsIdentity::server(options.certificate, options.key, fault)))
            return false;
        if (options.tls_to && !(towards_targets = net::TlsIdentity::client(options.authority, fault)))
            return false;
        for (const Link& link : options.links)
            if (!prepare(link, fault)) return false;
        return true;
    }

    bool prepare(const Link& link, std::string& fault) {
        auto at = net::parse_host_and_port(link.listen, true, fault);
        auto to = at ? net::parse_host_and_port(link.to, false, fault) : std::nullopt;
        if (!to) return false;
        auto listener = net::listen_at(*at, fault);
        if (!listener) {
            fault = fmt::format("{}: {}", link.listen, fault);
            return false;
        }
        if (!net::can_be_resolved(*to, fault)) return false;
        listeners.push_back(std::move(*listener));
        targets.push_back(std::move(*to));
        return true;
    }

    void accept(std::size_t link) {
        auto client = net::accept_until(listeners[link], base::Clock::now());
        if (!client) return;
        std::string fault;
        auto service = net::start_connect(targets[link], fault);
        if (!service) {
            ++counts.refused;
            return;
        }
        pairs.push_back({link, ++counts.connections,
                         End(net::over_socket(std::move(*client), towards_clients, {})),
                         End(net::over_socket(std::move(*service), towards_targets, targets[link].host))});
    }

    void record(const Pair& pair, bool from_client, std::string_view bytes) {
        const Link& link = options.links[pair.link];
        auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
        line = fmt::format(
            R"({{"time": {}.{:06}, "from": "{}", "to": "{}", "dir": "->", "connection": "{}", "raw": ")",
            now / 1'000'000, now % 1'000'000, from_client ? link.client : link.service,
            from_client ? link.service : link.client, pair.number);
        base::append_hex(line, bytes);
        line += "\"}\n";
        base::PipeSignalBlocked blocked;  // the log may be a pipe
        if (std::fwrite(line.data(), 1, line.size(), out) != line.size() || std::fflush(out) != 0)
            failed = true;
        ++counts.records;
        counts.bytes += bytes.size();
    }

    // What to wait for at the end that speaks in this direction, and whether the other one has room for it.
    void watch(Pair& pair, bool from_client) {
        End &from = pair.from(from_client), &to = pair.to(from_client);
        bool room = to.unsent() < most_unsent;
        bool& held = pair.held[from_client];
        counts.held += !room && !held;
        // What was decrypted already does not show at the socket.
        pair.resumed[from_client] = room && held;
        held = !room;
        // One that is over would wake us up again and again.
        bool over = from.read_over() && from.all_sent();
        pair.places[from_client] =
            waiting.add(over ? -1 : from.fd(), (room || from.opening()) && !from.read_over(), from.pending());
    }

    void pump(Pair& pair, bool from_client) {
        End &from = pair.from(from_client), &to = pair.to(from_client);
        if (waiting.happened(pair.places[from_client]) || pair.resumed[from_client])
            while (to.unsent() < most_unsent || from.opening()) {
                auto came = from.read();
                if (!came) break;
                record(pair, from_client, *came);
                to.push(*came);
            }
        if (from.read_over()) to.end_after_sending();
        to.flush();
    }

    void serve(Pair& pair) {
        for (bool client : {true, false}) {
            End& end = pair.from(client);
            std::size_t at = pair.places[client];
            if (waiting.writable(at)) end.flush();
            if (!waiting.readable(at) && waiting.hung_up(at)) end.read_over() ? end.leave() : end.fail();
        }
        pump(pair, true);
        pump(pair, false);
    }
};

Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;

base::Result<std::unique_ptr<Proxy>> Proxy::make(const ProxyOptions& options, std::FILE* out) {
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    impl->out = out;
    std::string fault;
    if (!impl->prepare(fault)) return base::Fault{fault};
    return std::unique_ptr<Proxy>(new Proxy(std::move(impl)));
}

std::vector<std::string> Proxy::addresses() const {
    std::vector<std::string> result;
    for (const base::Descriptor& one : impl_->listeners) {
        auto where = net::local_address(one);
        result.push_back(where ? net::host_and_port(*where) : "?");
    }
    return result;
}

void Proxy::step(int timeout_ms) {
    base::WaitSet& waiting = impl_->waiting;
    waiting.clear();
    for (const base::Descriptor& one : impl_->listeners) waiting.add(one.get(), true);
    bool resumed = false;
    for (Pair& pair : impl_->pairs)
        for (bool client : {true, false}) {
            impl_->watch(pair, client);
            resumed = resumed || pair.resumed[client];
        }
    waiting.wait(base::Clock::now() + std::chrono::milliseconds(resumed ? 0 : timeout_ms));
    for (Pair& pair : impl_->pairs) impl_->serve(pair);
    std::erase_if(impl_->pairs, [&](const Pair& pair) {
        bool over = pair.over();
        impl_->counts.broken += over && (pair.client.broken() || pair.service.broken());
        return over;
    });
    for (std::size_t i = 0; i < impl_->listeners.size(); ++i)
        if (waiting.readable(i)) impl_->accept(i);
}

std::size_t Proxy::live() const {
    return impl_->pairs.size();
}

const ProxyCounts& Proxy::counts() const {
    return impl_->counts;
}

bool Proxy::record_failed() const {
    return impl_->failed;
}

}  // namespace treaty::watch
