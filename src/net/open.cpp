#include "net/open.h"

#include "net/datagram.h"
#include "net/http.h"
#include "net/sockets.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/websocket.h"

namespace treaty::net {

std::unique_ptr<Transport> over_socket(base::Descriptor socket, const std::shared_ptr<TlsIdentity>& identity,
                                       const std::string& host) {
    std::unique_ptr<Transport> plain = std::make_unique<Stream>(std::move(socket));
    return identity ? std::make_unique<Tls>(std::move(plain), identity, host) : std::move(plain);
}

std::optional<Listener> listen_on(const Address& address, std::string& fault) {
    Listener listener;
    if (address.encrypted) {
        listener.identity = TlsIdentity::server(address.certificate, address.key, fault);
        if (!listener.identity) return std::nullopt;
    }
    auto socket =
        address.kind == AddressKind::udp ? datagram_socket(address, fault) : listen_at(address, fault);
    if (!socket) return std::nullopt;
    listener.socket = std::move(*socket);
    return listener;
}

std::unique_ptr<Transport> reach(const Address& address, std::string& fault) {
    if (address.kind == AddressKind::udp) {
        bool here = address.host.starts_with("127.") || address.host == "localhost" || address.host == "::1";
        if (here && !takes_datagrams(address.port)) {
            fault = "nothing listens there";
            return nullptr;
        }
        auto socket = datagram_socket(address, fault);
        return socket ? std::make_unique<Datagrams>(std::move(*socket), false) : nullptr;
    }
    std::shared_ptr<TlsIdentity> identity;
    if (address.encrypted && !(identity = TlsIdentity::client(address.ca, fault))) return nullptr;
    auto connect = [address, identity](std::string& why) -> std::unique_ptr<Transport> {
        auto socket = try_connect(address, why);
        return socket ? over_socket(std::move(*socket), identity, address.host) : nullptr;
    };
    auto below = connect(fault);
    if (!below || address.layer == Layer::none) return below;
    if (address.layer == Layer::websocket)
        return std::make_unique<WebSocket>(std::move(below), WebSocket::Side::client, host_and_port(address),
                                           address.path);
    auto again = [connect] {
        std::string ignored;
        return connect(ignored);
    };
    return std::make_unique<HttpClient>(std::move(below), again, host_and_port(address), address.path);
}

std::unique_ptr<Transport> await_caller(const Address& address, const Listener& listener, Time deadline) {
    if (address.kind == AddressKind::udp) {
        int copy = base::dup_descriptor(listener.socket.get());
        return copy < 0 ? nullptr : std::make_unique<Datagrams>(base::Descriptor(copy), true);
    }
    auto wrap = [identity = listener.identity](base::Descriptor socket) {
        return over_socket(std::move(socket), identity, {});
    };
    // Callers of HTTP come and go: there is nothing to wait for.
    if (address.layer == Layer::http) return std::make_unique<HttpServer>(listener.socket, wrap);
    auto socket = accept_until(listener.socket, deadline);
    if (!socket) return nullptr;
    auto below = wrap(std::move(*socket));
    if (address.layer == Layer::websocket)
        return std::make_unique<WebSocket>(std::move(below), WebSocket::Side::server, "", "");
    return below;
}

}  // namespace treaty::net
