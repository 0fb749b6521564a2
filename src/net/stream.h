// A plain stream of bytes: TCP and Unix sockets, pipes.
//
// A socket is one object of Asio, pipes are two. Writing to a side that is gone never raises SIGPIPE. A
// socket that is being connected is spoken through like any other: what is sent is kept until then, and a
// connection that cannot be had is closed and broken.
#pragma once

#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/descriptor.h"
#include "net/sockets.h"
#include "net/transport.h"

namespace treaty::net {

class Stream final : public Transport {
public:
    // A connected socket, accepted from a listener of this protocol.
    Stream(const Loop& loop, asio::generic::stream_protocol protocol, base::Descriptor socket);
    // To be connected to the first of these that takes it.
    Stream(const Loop& loop, std::vector<StreamEndpoint> to);
    // Pipes; both do not block.
    Stream(const Loop& loop, base::Descriptor in, base::Descriptor out);
    ~Stream() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unsent() const override { return unsent_.size() - sent_; }
    std::size_t unread() const override;  // of a pipe: also what is in it
    bool opening() const override { return socket_ && socket_->connecting; }
    bool broken() const override { return broken_; }
    // Not so for what is layered on it, which sends bytes of its own that nobody has to read.
    bool reset_unread() const override { return socket_ && broken_; }
    bool refused() const override { return !opening() && connect_error(); }
    void await_events(Await what) override;
    void on_wake(Wake wake) override;
    bool hung_up() const override;

    // Why it is not connected; no error while it is still being connected.
    error_code connect_error() const { return socket_ ? socket_->connect_error : error_code(); }

private:
    using Pipe = Waitable<asio::posix::stream_descriptor>;
    struct Socket : Waitable<StreamSocket> {
        using Waitable::Waitable;
        std::vector<StreamEndpoint> to;  // those that are not tried yet
        bool connecting = false;
        error_code connect_error;
    };
    static void connect_next(const std::shared_ptr<Socket>& socket);
    std::size_t put(std::string_view bytes, error_code& error);
    bool look_at_connection();

    static constexpr std::size_t most_at_once = std::size_t{1} << 16;

    std::shared_ptr<Socket> socket_;  // or
    std::shared_ptr<Pipe> in_, out_;  // out_: none after finish()
    std::string unsent_, buffer_;
    std::size_t sent_ = 0;  // of unsent_
    bool drained_ = false;  // the last read took all that was there
    bool closed_ = false, gone_ = false, finishing_ = false, broken_ = false;
};

}  // namespace treaty::net
