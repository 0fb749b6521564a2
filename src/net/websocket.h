// WebSocket over any other transport, by Boost.Beast: one message per WebSocket message; pings are answered
// by it.
//
// What is sent is text if it is valid UTF-8 and binary otherwise. What a client says against the rules, or a
// message longer than the limit, ends it with a fault.
#pragma once

#include <cstdint>

#include "net/layered.h"

namespace treaty::net {

class WebSocket final : public Layered {
public:
    static constexpr std::size_t longest_message = std::size_t{64} << 20;
    static constexpr std::uint16_t normal = 1000, going_away = 1001;  // why it is closed

    // A client that asks for this path.
    WebSocket(const Loop& loop, std::unique_ptr<Transport> below, const std::string& host,
              const std::string& path);
    // A server.
    struct Serving {
        std::string already_read;  // from below, the request of the client included
        std::string protocol;      // that the server has chosen of those that the client offers; empty: none
        std::size_t longest = longest_message;
    };
    WebSocket(const Loop& loop, std::unique_ptr<Transport> below)
        : WebSocket(loop, std::move(below), Serving()) {}
    WebSocket(const Loop& loop, std::unique_ptr<Transport> below, const Serving& how);
    ~WebSocket() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override { close(normal); }
    bool closed() const override;
    bool flush() override;
    bool opening() const override;
    bool whole_messages() const override { return true; }
    std::string fault() const override;

    void close(std::uint16_t why);  // after what was sent before
    void ping();                    // the other side is to show that it is there
    std::uint64_t bytes_received() const;

private:
    struct Beast;
    void pump();

    std::unique_ptr<Beast> beast_;
};

}  // namespace treaty::net
