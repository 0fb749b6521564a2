#include "drive/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

void set_nonblocking(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

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
    hints.ai_socktype = SOCK_STREAM;
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

int milliseconds_until(Clock::time_point until) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace

void Descriptor::reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
}

bool Connection::send(std::string_view bytes) {
    if (reset_ || unsent_.size() + bytes.size() > most_unsent) return false;
    unsent_ += bytes;
    return flush();
}

bool Connection::flush() {
    std::size_t done = 0;
    while (done < unsent_.size()) {
        ssize_t n = write(output(), unsent_.data() + done, unsent_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n <= 0) {
            reset_ = true;
            unsent_.clear();
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    unsent_.erase(0, done);
    return true;
}

std::string_view Connection::receive(std::size_t most) {
    if (closed_ || !in_) return {};
    buffer_.resize(most);
    ssize_t n;
    do n = read(in_.get(), buffer_.data(), most);
    while (n < 0 && errno == EINTR);
    if (n > 0) return std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
    if (n == 0) closed_ = true;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) closed_ = reset_ = true;
    return {};
}

void Connection::finish() {
    if (out_) out_.reset();
    else if (in_) shutdown(in_.get(), SHUT_WR);
}

void wait(std::span<Connection* const> connections, std::span<const int> others, Clock::time_point until) {
    std::vector<pollfd> polled;
    for (Connection* c : connections) {
        if (!c->closed() && c->input() >= 0) polled.push_back({c->input(), POLLIN, 0});
        if (c->pending()) polled.push_back({c->output(), POLLOUT, 0});
    }
    for (int fd : others)
        if (fd >= 0) polled.push_back({fd, POLLIN, 0});
    poll(polled.data(), polled.size(), milliseconds_until(until));
    for (Connection* c : connections)
        if (c->pending()) c->flush();
}

void pause_until(Clock::time_point until) {
    poll(nullptr, 0, std::max(1, milliseconds_until(until)));
}

std::optional<Connection> try_connect(const Address& address, std::string& fault) {
    auto to = resolve(address, fault);
    if (!to) return std::nullopt;
    Descriptor fd(socket(to->family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&to->address), to->size) != 0) {
        fault = std::strerror(errno);
        return std::nullopt;
    }
    // A port that nobody listens on may be the one the kernel picks for the caller: then it talks to itself.
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0 && size == to->size &&
        address.kind == AddressKind::tcp && std::memcmp(&own, &to->address, size) == 0) {
        fault = "nobody listens";
        return std::nullopt;
    }
    set_nonblocking(fd.get());
    no_delay(fd.get());
    return Connection(std::move(fd));
}

std::optional<Descriptor> listen_at(const Address& address, std::string& fault) {
    auto at = resolve(address, fault);
    if (!at) return std::nullopt;
    Descriptor fd(socket(at->family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int on = 1;
    if (fd) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!fd || bind(fd.get(), reinterpret_cast<const sockaddr*>(&at->address), at->size) != 0 ||
        listen(fd.get(), 16) != 0) {
        fault = std::strerror(errno);
        return std::nullopt;
    }
    set_nonblocking(fd.get());
    return fd;
}

std::optional<Connection> accept_until(const Descriptor& listener, Clock::time_point deadline) {
    pollfd polled{listener.get(), POLLIN, 0};
    if (poll(&polled, 1, milliseconds_until(deadline)) <= 0) return std::nullopt;
    Descriptor fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return std::nullopt;
    no_delay(fd.get());
    return Connection(std::move(fd));
}

}  // namespace treaty::drive
