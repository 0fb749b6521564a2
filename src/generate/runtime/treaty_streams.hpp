// Transports for generated code in C++: peers at streams of bytes, with a codec that `treaty generate --codec` writes. They
// need POSIX: a stream is a socket, or any other pair of file descriptors, such as standard input and output.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "treaty_codec.hpp"

namespace treaty {

inline Error system_error(const char* what) { return Error(std::string(what) + ": " + std::strerror(errno)); }

inline sockaddr_in local_address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// A socket that listens on 127.0.0.1; accept() of <sys/socket.h> takes connections from it.
inline int listen_locally(std::uint16_t port) {
    int listener = ::socket(AF_INET, SOCK_STREAM, 0), on = 1;
    sockaddr_in address = local_address(port);
    if (listener < 0 || ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(listener, 16) != 0)
        throw system_error("cannot listen");
    return listener;
}

// A socket that is connected to a port of 127.0.0.1.
inline int connect_locally(std::uint16_t port) {
    int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = local_address(port);
    if (connection < 0 || ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw system_error("cannot connect");
    return connection;
}

// A link whose peers are at streams of bytes. It closes them.
template <class Message>
class Streams final : public Link<Message> {
public:
    using Encode = void (*)(const Message&, std::string&);
    using Decode = Decoded<Message> (*)(std::string_view, bool);

    Streams(std::size_t roles, Encode encode, Decode decode) : encode_(encode), decode_(decode), peers_(roles) {}
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    ~Streams() override { close(); }

    // Where a peer is: file descriptors to read and to write, which may be the same.
    void add(std::size_t peer, int in, int out) {
        peers_.at(peer).in = in;
        peers_.at(peer).out = out;
    }

    void send(std::size_t to, Message message) override {
        std::string bytes;
        encode_(message, bytes);
        for (std::size_t sent = 0; sent < bytes.size();) {
            int out = peers_.at(to).out;
            ssize_t n = ::send(out, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno == ENOTSOCK) n = ::write(out, bytes.data() + sent, bytes.size() - sent);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw ConnectionClosed(std::string("cannot send: ") + std::strerror(errno));
            sent += static_cast<std::size_t>(n);
        }
    }

    Arrival<Message> receive(std::span<const Awaited> awaited) override {
        for (;;) {
            std::vector<pollfd> undecided;
            std::optional<std::size_t> wrong;
            for (const Awaited& a : awaited) {
                Peer& peer = peers_.at(a.peer);
                Decoded<Message> decoded = decode_(peer.bytes, peer.ended);
                if (decoded.kind == Reading::fault)
                    throw UnexpectedMessage("no message goes on like this at byte " + std::to_string(decoded.size));
                if (decoded.kind == Reading::more) {
                    if (!peer.ended) undecided.push_back({peer.in, POLLIN, 0});
                } else if (is_awaited(awaited, a.peer, decoded.message.index())) {
                    return take(a.peer, std::move(decoded));
                } else {
                    wrong = a.peer;
                }
            }
            if (undecided.empty()) return wrong ? take(*wrong, decode_(peers_[*wrong].bytes, peers_[*wrong].ended)) : Arrival<Message>{};
            wait(undecided);
        }
    }

    void close() noexcept override {
        for (Peer& peer : peers_) {
            if (peer.in >= 0) ::close(peer.in);
            if (peer.out >= 0 && peer.out != peer.in) ::close(peer.out);
            peer.in = peer.out = -1;
        }
    }

private:
    struct Peer {
        int in = -1, out = -1;
        std::string bytes;  // received, not yet read
        bool ended = false;
    };

    static bool is_awaited(std::span<const Awaited> awaited, std::size_t peer, std::size_t message) {
        return std::any_of(awaited.begin(), awaited.end(),
                           [&](const Awaited& a) { return a.peer == peer && a.message == message; });
    }
    Arrival<Message> take(std::size_t peer, Decoded<Message> decoded) {
        peers_[peer].bytes.erase(0, decoded.size);
        return {peer, std::move(decoded.message)};
    }
    // Until bytes of one of them have come, or it has closed its side.
    void wait(std::vector<pollfd>& descriptors) {
        if (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) throw system_error("cannot wait");
        for (const pollfd& ready : descriptors)
            for (Peer& peer : peers_) {
                if (peer.in != ready.fd || ready.revents == 0 || peer.ended) continue;
                char bytes[65536];
                ssize_t n = ::read(peer.in, bytes, sizeof bytes);
                if (n < 0 && errno == EINTR) continue;
                peer.ended = n <= 0;
                if (n > 0) peer.bytes.append(bytes, static_cast<std::size_t>(n));
                break;
            }
    }

    Encode encode_;
    Decode decode_;
    std::vector<Peer> peers_;
};

}  // namespace treaty
