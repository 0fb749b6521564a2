#include "watch/proxy.h"

#include <chrono>
#include <list>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/pipe_signal.h"
#include "net/open.h"

namespace treaty::watch {

namespace {

// One end of a connection: its bytes are read, bytes for it are kept until it takes them.
class End {
public:
    explicit End(std::unique_ptr<net::Transport> transport) : transport_(std::move(transport)) {}

    bool broken() const { return broken_; }
    bool refused() const { return transport_->refused(); }
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
    void on_wake(net::Wake wake) { transport_->on_wake(std::move(wake)); }
    // Wakes the proxy up when there is something to do; reads: something to read, too.
    void await_events(bool reads) {
        if (left_) return;
        transport_->await_events(reads ? net::Transport::Await::all : net::Transport::Await::all_but_input);
    }
    // The other side may be gone though nothing is read from it: what it should still get is dropped.
    void look_whether_gone() {
        if (left_ || !transport_->hung_up()) return;
        broken_ = broken_ || !read_over();
        left_ = true;
    }

private:
    void fail() { broken_ = left_ = true; }

    std::unique_ptr<net::Transport> transport_;
    bool left_ = false, broken_ = false, finishing_ = false;
};

struct Pair {
    std::size_t link = 0;
    std::uint64_t number = 0;
    End client, service;
    bool held[2] = {false, false};  // of each direction: its reader was too slow
    bool woken = false;

    End& from(bool is_client) { return is_client ? client : service; }
    End& to(bool is_client) { return is_client ? service : client; }
    bool over() const { return client.all_sent() && service.all_sent(); }
};

}  // namespace

struct Proxy::Impl {
    ProxyOptions options;
    std::FILE* out = nullptr;
    net::Loop loop;
    std::vector<std::shared_ptr<net::Listener>> listeners;         // by link
    std::vector<std::shared_ptr<const net::Destination>> targets;  // by link
    std::list<Pair> pairs;
    std::vector<std::list<Pair>::iterator> woken;  // those at which something has happened
    std::uint64_t last_number = 0;
    ProxyCounts counts;
    bool failed = false;
    std::string line;

    base::Result<void> prepare(const Link& link) {
        auto at = net::parse_host_and_port(link.listen, true);
        if (!at) return base::Fault{at.error()};
        auto to = net::parse_host_and_port(link.to, false);
        if (!to) return base::Fault{to.error()};
        at->encrypted = !options.certificate.empty();
        at->certificate = options.certificate;
        at->key = options.key;
        to->encrypted = options.tls_to;
        to->ca = options.authority;
        auto listener = net::Listener::open(loop, *at);
        if (!listener) return base::Fault{fmt::format("{}: {}", link.listen, listener.error())};
        auto target = net::Destination::make(*to);
        if (!target) return base::Fault{target.error()};
        listeners.push_back(std::move(*listener));
        targets.push_back(std::move(*target));
        return {};
    }

    void accept(std::size_t link) {
        while (auto client = listeners[link]->accept()) {
            pairs.push_back({link, ++last_number, End(std::move(client)), End(targets[link]->start(loop))});
            ++counts.connections;
            auto pair = std::prev(pairs.end());
            for (End* end : {&pair->client, &pair->service}) end->on_wake([this, pair] { wake(pair); });
            wake(pair);
        }
    }

    void end(std::list<Pair>::iterator pair) {
        if (pair->service.refused()) {
            --counts.connections;
            ++counts.refused;
        } else {
            counts.broken += pair->client.broken() || pair->service.broken();
        }
        pairs.erase(pair);
    }

    void wake(std::list<Pair>::iterator pair) {
        if (!std::exchange(pair->woken, true)) woken.push_back(pair);
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
        counts.held += !room && !pair.held[from_client];
        pair.held[from_client] = !room;
        // One that is over would wake us up again and again.
        if (!from.read_over() || !from.all_sent())
            from.await_events((room || from.opening()) && !from.read_over());
    }

    void pump(Pair& pair, bool from_client) {
        End &from = pair.from(from_client), &to = pair.to(from_client);
        while (to.unsent() < most_unsent || from.opening()) {
            auto came = from.read();
            if (!came) break;
            record(pair, from_client, *came);
            to.push(*came);
        }
        if (from.read_over()) to.end_after_sending();
        to.flush();
    }

    // Room may have been made for what was held back: it is looked for in both directions.
    void serve(Pair& pair) {
        for (End* end : {&pair.client, &pair.service}) {
            end->flush();
            end->look_whether_gone();
        }
        pump(pair, true);
        pump(pair, false);
        for (bool client : {true, false}) watch(pair, client);
    }
};

Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;

base::Result<std::unique_ptr<Proxy>> Proxy::make(const ProxyOptions& options, std::FILE* out) {
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    impl->out = out;
    for (const Link& link : options.links)
        if (auto prepared = impl->prepare(link); !prepared) return base::Fault{prepared.error()};
    return std::unique_ptr<Proxy>(new Proxy(std::move(impl)));
}

std::vector<std::string> Proxy::addresses() const {
    std::vector<std::string> result;
    for (const auto& one : impl_->listeners) result.push_back(net::host_and_port(one->address()));
    return result;
}

void Proxy::step(int timeout_ms) {
    for (const auto& one : impl_->listeners) one->await_events();
    impl_->loop.wait(base::Clock::now() + std::chrono::milliseconds(timeout_ms));
    for (std::size_t i = 0; i < impl_->listeners.size(); ++i) impl_->accept(i);
    for (auto pair : std::exchange(impl_->woken, {})) {
        pair->woken = false;
        impl_->serve(*pair);
        if (pair->over()) impl_->end(pair);
    }
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
