// WebSocket over any other transport, by Boost.Beast: one message a WebSocket message; pings are answered by
// it.
//
// What is sent is text if it is valid UTF-8 and binary otherwise.
#pragma once

#include "net/layered.h"

namespace treaty::net {

class WebSocket final : public Layered {
public:
    enum class Side : unsigned char { client, server };

    // host and path: what a client asks for.
    WebSocket(std::unique_ptr<Transport> below, Side side, const std::string& host, const std::string& path);
    ~WebSocket() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override;
    bool flush() override;
    bool opening() const override;
    bool whole_messages() const override { return true; }
    std::string fault() const override;

private:
    struct Beast;
    void pump();

    std::unique_ptr<Beast> beast_;
};

}  // namespace treaty::net
