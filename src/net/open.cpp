#include "net/open.h"

#include <sys/socket.h>

#include <cerrno>

#include <boost/asio/basic_socket_acceptor.hpp>

#include "net/datagram.h"
#include "net/http_callers.h"
#include "net/http_client.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/websocket.h"

namespace treaty::net {
namespace {

using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
constexpr auto patience =
    std::chrono::seconds(1);  // with a host that does not answer at all; the caller may try again

std::unique_ptr<Transport> over_stream(std::unique_ptr<Transport> plain,
                                       const std::shared_ptr<TlsIdentity>& identity,
                                       const std::string& host) {
    return identity ? std::make_unique<Tls>(std::move(plain), identity, host) : std::move(plain);
}

std::shared_ptr<Waitable<DatagramSocket>> datagram_socket(const Loop& loop, const DatagramEndpoint& endpoint,
                                                          error_code& error) {
    auto socket = std::make_shared<Waitable<DatagramSocket>>(loop.context());
    make_socket(endpoint, socket->io, error);
    return socket;
}

bool on_this_machine(const std::string& host) {
    return host.starts_with("127.") || host == "localhost" || host == "::1";
}

}  // namespace

struct Destination::Parts {
    Address address;
    std::vector<StreamEndpoint> streams;
    std::vector<DatagramEndpoint> datagrams;
    std::shared_ptr<TlsIdentity> identity;

    std::unique_ptr<Transport> encrypted(std::unique_ptr<Transport> plain) const {
        return over_stream(std::move(plain), identity, address.host);
    }

    base::Result<std::unique_ptr<Transport>> connect(Loop loop) const {
        auto stream = std::make_unique<Stream>(loop, streams);
        for (Time until = Clock::now() + patience; stream->opening() && Clock::now() < until;)
            loop.wait(until);
        if (stream->opening()) return base::Fault{error_code(asio::error::timed_out).message()};
        if (stream->connect_error()) return base::Fault{stream->connect_error().message()};
        return encrypted(std::move(stream));
    }

    base::Result<std::unique_ptr<Transport>> speak_datagrams(const Loop& loop) const {
        if (on_this_machine(address.host) && !takes_datagrams(address.port))
            return base::Fault{"nothing listens there"};
        error_code error;
        auto socket = datagram_socket(loop, datagrams.front(), error);
        if (!error) socket->io.connect(datagrams.front(), error);
        if (error) return base::Fault{error.message()};
        return std::unique_ptr<Transport>(std::make_unique<Datagrams>(std::move(socket), false));
    }
};

base::Result<std::shared_ptr<const Destination>> Destination::make(const Address& address) {
    auto parts = std::make_shared<Parts>();
    parts->address = address;
    if (address.kind == AddressKind::udp) {
        auto found = resolve_datagram(address);
        if (!found) return base::Fault{found.error()};
        parts->datagrams = std::move(*found);
    } else {
        auto found = resolve_stream(address);
        if (!found) return base::Fault{found.error()};
        parts->streams = std::move(*found);
    }
    if (address.encrypted) {
        auto identity = TlsIdentity::client(address.ca);
        if (!identity) return base::Fault{identity.error()};
        parts->identity = std::move(*identity);
    }
    return std::shared_ptr<const Destination>(new Destination(std::move(parts)));
}

std::unique_ptr<Transport> Destination::start(const Loop& loop) const {
    return parts_->encrypted(std::make_unique<Stream>(loop, parts_->streams));
}

base::Result<std::unique_ptr<Transport>> Destination::reach(Loop loop) const {
    const Address& address = parts_->address;
    if (address.kind == AddressKind::udp) return parts_->speak_datagrams(loop);
    auto below = parts_->connect(loop);
    if (!below || address.layer == Layer::none) return below;
    std::unique_ptr<Transport> made;
    if (address.layer == Layer::websocket)
        made = std::make_unique<WebSocket>(loop, std::move(*below), host_and_port(address), address.path);
    else
        made = std::make_unique<HttpClient>(
            std::move(*below), [parts = parts_, loop] { return parts->connect(loop); },
            host_and_port(address), address.path,
            address.http_messages ? HttpContent::messages : HttpContent::bodies);
    return made;
}

base::Result<std::unique_ptr<Transport>> reach(const Loop& loop, const Address& address) {
    auto to = Destination::make(address);
    if (!to) return base::Fault{to.error()};
    return (*to)->reach(loop);
}

struct Listener::Parts {
    std::shared_ptr<Waitable<Acceptor>> acceptor;  // or
    std::shared_ptr<Waitable<DatagramSocket>> datagrams;
    std::shared_ptr<TlsIdentity> identity;  // if it is encrypted

    // Each of these gives the place where it is bound, through its descriptor.
    int bind_datagrams(const Loop& loop, const DatagramEndpoint& at, error_code& error) {
        datagrams = datagram_socket(loop, at, error);
        if (!error) datagrams->io.bind(at, error);
        return datagrams->io.native_handle();
    }
    int bind_acceptor(const Loop& loop, const StreamEndpoint& at, error_code& error) {
        acceptor = std::make_shared<Waitable<Acceptor>>(loop.context());
        StreamSocket made(loop.context()->io);
        make_socket(at, made, error);
        if (!error) acceptor->io.assign(at.protocol(), made.release(), error);
        if (!error) acceptor->io.non_blocking(true, error);
        if (!error) acceptor->io.set_option(asio::socket_base::reuse_address(true), error);
        if (!error) acceptor->io.bind(at, error);
        if (!error) acceptor->io.listen(256, error);
        return acceptor->io.native_handle();
    }
};

base::Result<std::shared_ptr<Listener>> Listener::open(const Loop& loop, const Address& address) {
    auto parts = std::make_unique<Parts>();
    if (address.encrypted) {
        auto identity = TlsIdentity::server(address.certificate, address.key);
        if (!identity) return base::Fault{identity.error()};
        parts->identity = std::move(*identity);
    }
    Address bound = address;
    error_code error;
    int descriptor = -1;
    if (address.kind == AddressKind::udp) {
        auto at = resolve_datagram(address);
        if (!at) return base::Fault{at.error()};
        descriptor = parts->bind_datagrams(loop, at->front(), error);
    } else {
        auto at = resolve_stream(address);
        if (!at) return base::Fault{at.error()};
        descriptor = parts->bind_acceptor(loop, at->front(), error);
    }
    if (error) return base::Fault{error.message()};
    set_bound(bound, descriptor);
    return std::shared_ptr<Listener>(new Listener(loop, std::move(bound), std::move(parts)));
}

Listener::Listener(Loop loop, Address address, std::unique_ptr<Parts> parts)
    : loop_(std::move(loop)), address_(std::move(address)), parts_(std::move(parts)) {}

Listener::~Listener() = default;

// Not Asio's accept: its sockets stay open in programs that are started.
std::unique_ptr<Transport> Listener::accept() {
    Acceptor& acceptor = parts_->acceptor->io;
    int made;
    do made = accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (made < 0 && (errno == EINTR || errno == ECONNABORTED));
    exhausted_ = made < 0 && errno != EAGAIN && errno != EWOULDBLOCK;
    if (made < 0) return nullptr;
    base::Descriptor socket(made);
    error_code error;
    auto protocol = acceptor.local_endpoint(error).protocol();
    return over_stream(std::make_unique<Stream>(loop_, protocol, std::move(socket)), parts_->identity, {});
}

void Listener::await_events() {
    if (parts_->acceptor) Waitable<Acceptor>::wait(parts_->acceptor, asio::socket_base::wait_read);
}

void Listener::on_wake(Wake wake) {
    if (parts_->acceptor) parts_->acceptor->wake = std::move(wake);
}

std::unique_ptr<Transport> await_caller(const std::shared_ptr<Listener>& listener, Time deadline) {
    const Address& address = listener->address();
    Loop loop = listener->loop_;
    if (address.kind == AddressKind::udp) {
        auto socket = std::make_shared<Waitable<DatagramSocket>>(loop.context());
        auto& bound = listener->parts_->datagrams->io;
        base::Descriptor copy(base::dup_descriptor(bound.native_handle()));
        error_code error;
        if (copy) socket->io.assign(bound.local_endpoint(error).protocol(), copy.get(), error);
        if (!copy || error) return nullptr;
        copy.release();
        socket->io.non_blocking(true, error);
        return std::make_unique<Datagrams>(std::move(socket), true);
    }
    // Callers of HTTP come and go: there is nothing to wait for.
    if (address.layer == Layer::http)
        return std::make_unique<HttpCallers>(
            loop, listener, address.http_messages ? HttpContent::messages : HttpContent::bodies);
    auto below = listener->accept();
    while (!below && Clock::now() < deadline) {
        listener->await_events();
        loop.wait(deadline);
        below = listener->accept();
    }
    if (below && address.layer == Layer::websocket)
        return std::make_unique<WebSocket>(loop, std::move(below));
    return below;
}

std::unique_ptr<Transport> over_pipes(const Loop& loop, base::Descriptor from, base::Descriptor to) {
    return std::make_unique<Stream>(loop, std::move(from), std::move(to));
}

}  // namespace treaty::net
