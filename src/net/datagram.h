// One message a datagram (UDP). The other side is the one that was named, or, listening, the last one that
// spoke.
//
// What is sent before anyone has spoken is kept. An answer that nobody listens (refused) is not an end:
// datagrams may be lost, and the listener may start later.
#pragma once

#include <deque>

#include <sys/socket.h>

#include "base/descriptor.h"
#include "net/transport.h"

namespace treaty::net {

class Datagrams final : public Transport {
public:
    Datagrams(base::Descriptor socket, bool listens) : socket_(std::move(socket)), listens_(listens) {}

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override {}
    bool has_end() const override { return false; }
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unsent() const override { return !listens_ || peer_size_ > 0 ? unsent_.size() : 0; }
    std::string obstacle(std::size_t bytes) const override {
        return bytes <= longest_sent ? "" : "it is longer than a datagram can be, 65507 bytes";
    }
    bool whole_messages() const override { return true; }
    int input() const override { return socket_.get(); }
    int output() const override { return socket_.get(); }

private:
    static constexpr std::size_t longest = 65536;
    static constexpr std::size_t longest_sent = 65'507;  // of IPv4
    static constexpr std::size_t most_kept = 1000;

    base::Descriptor socket_;
    bool listens_ = false;
    sockaddr_storage peer_{};
    socklen_t peer_size_ = 0;
    std::deque<std::string> unsent_;
    std::string buffer_;
    bool closed_ = false;
};

}  // namespace treaty::net
