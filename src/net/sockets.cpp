#include "net/sockets.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace treaty::net {
namespace {

// The system's message for a name that cannot be resolved.
template <class Protocol, class Endpoint>
base::Result<std::vector<Endpoint>> resolve(const Address& address) {
    asio::io_context context;  // nothing runs on it: this call waits
    error_code error;
    auto found = typename Protocol::resolver(context).resolve(
        address.host, std::to_string(address.port), asio::ip::resolver_base::numeric_service, error);
    std::vector<Endpoint> all;
    if (!error)
        for (const auto& one : found) all.emplace_back(one.endpoint());
    if (all.empty()) return base::Fault{fmt::format("{}: {}", address.host, error.message())};
    return all;
}

template <class Endpoint, class Socket>
void make(const Endpoint& endpoint, int type, Socket& into, error_code& error) {
    error_code ignored;
    into.close(ignored);
    auto protocol = endpoint.protocol();
    int descriptor = ::socket(protocol.family(), type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol.protocol());
    error = descriptor < 0 ? error_code(errno, boost::system::system_category()) : error_code();
    if (error) return;
    into.assign(protocol, descriptor, error);
    if (error)
        ::close(descriptor);
    else
        into.non_blocking(true, error);
}

}  // namespace

base::Result<std::vector<StreamEndpoint>> resolve_stream(const Address& address) {
    if (address.kind == AddressKind::unix_socket)
        return std::vector<StreamEndpoint>{asio::local::stream_protocol::endpoint(address.path)};
    return resolve<asio::ip::tcp, StreamEndpoint>(address);
}

base::Result<std::vector<DatagramEndpoint>> resolve_datagram(const Address& address) {
    return resolve<asio::ip::udp, DatagramEndpoint>(address);
}

void make_socket(const StreamEndpoint& endpoint, StreamSocket& into, error_code& error) {
    make(endpoint, SOCK_STREAM, into, error);
}

void make_socket(const DatagramEndpoint& endpoint, DatagramSocket& into, error_code& error) {
    make(endpoint, SOCK_DGRAM, into, error);
}

void send_at_once(StreamSocket& socket) {
    error_code ignored;  // not TCP: refused, no harm
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
}

void set_bound(Address& address, int descriptor) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* name = reinterpret_cast<sockaddr*>(&storage);
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (getsockname(descriptor, name, &size) != 0 || storage.ss_family == AF_UNIX ||
        getnameinfo(name, size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    address.host = host.data();
    address.port = static_cast<std::uint16_t>(std::stoul(port.data()));
}

// A line of the kernel's list: a number, the local address as HOST:PORT in hexadecimal digits, and more.
bool takes_datagrams(std::uint16_t port) {
    for (const char* path : {"/proc/net/udp", "/proc/net/udp6"}) {
        std::ifstream list(path);
        for (std::string line; std::getline(list, line);) {
            std::istringstream words(line);
            std::string number, local;
            words >> number >> local;
            std::size_t colon = local.rfind(':');
            if (colon != std::string::npos && local.substr(colon + 1) == fmt::format("{:04X}", port))
                return true;
        }
    }
    return false;
}

}  // namespace treaty::net
