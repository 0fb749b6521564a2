// One message per datagram (UDP). The other side is the one that was named, or, listening, the last one that
// spoke.
//
// What is sent before anyone has spoken is kept. An answer that the port is closed (refused) is not an end:
// datagrams may be lost, and the listener may start later.
#pragma once

#include <deque>

#include "net/sockets.h"
#include "net/transport.h"

namespace treaty::net {

class Datagrams final : public Transport {
public:
    // Open: bound if it listens, else connected.
    Datagrams(std::shared_ptr<Waitable<DatagramSocket>> socket, bool listens);
    ~Datagrams() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override {}
    bool has_end() const override { return false; }
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unsent() const override { return !listens_ || peer_ ? unsent_.size() : 0; }
    std::string obstacle(std::size_t bytes) const override {
        return bytes <= longest_sent ? "" : "it is longer than a datagram can be, 65507 bytes";
    }
    bool whole_messages() const override { return true; }
    void await_events(Await what) override;
    void on_wake(Wake wake) override { socket_->wake = std::move(wake); }

private:
    static constexpr std::size_t longest = 65536;
    static constexpr std::size_t longest_sent = 65'507;  // of IPv4
    static constexpr std::size_t most_kept = 1000;

    std::shared_ptr<Waitable<DatagramSocket>> socket_;
    bool listens_ = false;
    std::optional<DatagramEndpoint> peer_;  // listening: the last one that spoke
    std::deque<std::string> unsent_;
    std::string buffer_;
    bool closed_ = false;
};

}  // namespace treaty::net
