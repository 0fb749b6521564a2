#include "net/sockets.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace treaty::net {
namespace {

void no_delay(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // not TCP: refused, no harm
}

sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), std::min(path.size() + 1, sizeof address.sun_path));
    return address;
}

struct Resolved {
    sockaddr_storage address{};
    socklen_t size = 0;
    int family = AF_INET;
};

std::optional<Resolved> resolve(const Address& address, std::string& fault) {
    Resolved result;
    if (address.kind == AddressKind::unix_socket) {
        sockaddr_un local = unix_address(address.path);
        std::memcpy(&result.address, &local, sizeof local);
        result.size = sizeof local;
        result.family = AF_UNIX;
        return result;
    }
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = address.kind == AddressKind::udp ? SOCK_DGRAM : SOCK_STREAM;
    int error = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
    if (error != 0 || !found) {
        fault = fmt::format("{}: {}", address.host, gai_strerror(error));
        return std::nullopt;
    }
    std::memcpy(&result.address, found->ai_addr, found->ai_addrlen);
    result.size = found->ai_addrlen;
    result.family = found->ai_family;
    freeaddrinfo(found);
    return result;
}

std::optional<base::Descriptor> connecting(const Resolved& to, std::string& fault) {
    base::Descriptor fd(socket(to.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* name = reinterpret_cast<const sockaddr*>(&to.address);
    if (!fd || (connect(fd.get(), name, to.size) != 0 && errno != EINPROGRESS)) {
        fault = std::strerror(errno);
        return std::nullopt;
    }
    no_delay(fd.get());
    return fd;
}

// A host that does not answer at all is given up after a second; the caller may try again.
bool connected(int fd) {
    if (!base::wait_writable(fd, Clock::now() + std::chrono::seconds(1))) {
        errno = ETIMEDOUT;
        return false;
    }
    socklen_t size = sizeof errno;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &errno, &size) == 0 && errno == 0;
}

}  // namespace

bool can_be_resolved(const Address& address, std::string& fault) {
    return resolve(address, fault).has_value();
}

std::optional<base::Descriptor> start_connect(const Address& address, std::string& fault) {
    auto to = resolve(address, fault);
    return to ? connecting(*to, fault) : std::nullopt;
}

std::optional<base::Descriptor> try_connect(const Address& address, std::string& fault) {
    auto to = resolve(address, fault);
    if (!to) return std::nullopt;
    auto fd = connecting(*to, fault);
    if (!fd) return std::nullopt;
    if (!connected(fd->get())) {
        fault = std::strerror(errno);
        return std::nullopt;
    }
    // A port that nobody listens on may be the one the kernel picks for the caller: then it talks to itself.
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (getsockname(fd->get(), reinterpret_cast<sockaddr*>(&own), &size) == 0 && size == to->size &&
        address.kind == AddressKind::tcp && std::memcmp(&own, &to->address, size) == 0) {
        fault = "nothing listens there";
        return std::nullopt;
    }
    return fd;
}

std::optional<Address> local_address(const base::Descriptor& socket) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* name = reinterpret_cast<sockaddr*>(&storage);
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (getsockname(socket.get(), name, &size) != 0 || storage.ss_family == AF_UNIX ||
        getnameinfo(name, size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return std::nullopt;
    Address address;
    address.kind = AddressKind::tcp;
    address.host = host.data();
    address.port = static_cast<std::uint16_t>(std::stoul(port.data()));
    return address;
}

std::optional<base::Descriptor> listen_at(const Address& address, std::string& fault) {
    auto at = resolve(address, fault);
    if (!at) return std::nullopt;
    base::Descriptor fd(socket(at->family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int on = 1;
    if (fd) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!fd || bind(fd.get(), reinterpret_cast<const sockaddr*>(&at->address), at->size) != 0 ||
        listen(fd.get(), 256) != 0) {
        fault = std::strerror(errno);
        return std::nullopt;
    }
    base::set_nonblocking(fd.get());
    return fd;
}

std::optional<base::Descriptor> accept_until(const base::Descriptor& listener, Time deadline) {
    if (!base::wait_readable(listener.get(), deadline)) return std::nullopt;
    base::Descriptor fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return std::nullopt;
    no_delay(fd.get());
    return fd;
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

std::optional<base::Descriptor> datagram_socket(const Address& address, std::string& fault) {
    auto to = resolve(address, fault);
    if (!to) return std::nullopt;
    base::Descriptor fd(socket(to->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* name = reinterpret_cast<const sockaddr*>(&to->address);
    if (fd && (address.listen ? bind(fd.get(), name, to->size) : connect(fd.get(), name, to->size)) == 0)
        return fd;
    fault = std::strerror(errno);
    return std::nullopt;
}

}  // namespace treaty::net
