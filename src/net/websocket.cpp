// Beast's stream reads and writes memory: what comes from below is put there, what it writes is taken to
// below. Its handlers run only inside pump(), so nothing happens in the background.

#include "net/websocket.h"

#include <deque>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <simdjson.h>

#include "net/asio.h"
#include "net/memory_stream.h"

namespace treaty::net {

namespace beast = boost::beast;

struct WebSocket::Beast {
    std::shared_ptr<Loop::Context> context;  // for timers, of which none is ever set
    HandlerQueue handlers;
    beast::websocket::stream<MemoryStream> near;
    beast::flat_buffer reading;
    std::deque<std::string> received, unsent;
    std::string last;  // the one that receive() has just given
    std::string fault;
    std::uint64_t bytes_received = 0;
    std::uint16_t why_closed = normal;
    bool open = false, closed = false, writing = false, finishing = false, pinging = false;

    explicit Beast(const Loop& loop)
        : context(loop.context()), near(HandlerQueue::Executor(handlers, context->io)) {}

    void opened(error_code error) {
        open = !error;
        if (error) return end(error);
        read();
        write();
    }

    void connect(const std::string& host, const std::string& path) {
        near.read_message_max(longest_message);
        near.async_handshake(host, path, [this](error_code error) { opened(error); });
    }

    void accept(const Serving& how) {
        near.read_message_max(how.longest);
        if (!how.protocol.empty())
            near.set_option(beast::websocket::stream_base::decorator(
                [protocol = how.protocol](beast::websocket::response_type& response) {
                    response.set(beast::http::field::sec_websocket_protocol, protocol);
                }));
        put(how.already_read);
        near.async_accept([this](error_code error) { opened(error); });
    }

    void put(std::string_view bytes) {
        bytes_received += bytes.size();
        near.next_layer().put(bytes);
    }

    void end(error_code error) {
        closed = true;
        if (error != beast::websocket::error::closed && error != boost::asio::error::operation_aborted &&
            error != boost::asio::error::eof)
            fault = "WebSocket: " + error.message();
    }

    void read() {
        near.async_read(reading, [this](error_code error, std::size_t) {
            if (error) return end(error);
            auto data = reading.cdata();
            received.emplace_back(static_cast<const char*>(data.data()), data.size());
            reading.consume(reading.size());
            read();
        });
    }

    void write() {
        if (!open || closed || writing) return;
        if (unsent.empty()) {
            if (finishing) close();
            return;
        }
        writing = true;
        near.text(simdjson::validate_utf8(unsent.front()));
        near.async_write(boost::asio::buffer(unsent.front()), [this](error_code error, std::size_t) {
            writing = false;
            if (error) return end(error);
            unsent.pop_front();
            write();
        });
    }

    void close() {
        writing = true;  // nothing comes after it
        near.async_close(beast::websocket::close_reason(why_closed), [this](error_code) { closed = true; });
    }
};

WebSocket::WebSocket(const Loop& loop, std::unique_ptr<Transport> lower, const std::string& host,
                     const std::string& path)
    : Layered(std::move(lower)), beast_(std::make_unique<Beast>(loop)) {
    beast_->connect(host, path);
    pump();
}

WebSocket::WebSocket(const Loop& loop, std::unique_ptr<Transport> lower, const Serving& how)
    : Layered(std::move(lower)), beast_(std::make_unique<Beast>(loop)) {
    beast_->accept(how);
    pump();
}

WebSocket::~WebSocket() = default;

// Lets Beast work on what is there and passes on what it has written.
void WebSocket::pump() {
    beast_->handlers.run();
    std::string written = beast_->near.next_layer().take();
    if (!written.empty() && !below().send(written)) beast_->closed = true;  // gone, or it does not read
}

bool WebSocket::send(std::string_view bytes) {
    if (beast_->closed || beast_->finishing) return false;
    beast_->unsent.emplace_back(bytes);
    beast_->write();
    return flush();
}

bool WebSocket::flush() {
    pump();
    return below().flush() && !beast_->closed;
}

std::optional<std::string_view> WebSocket::receive() {
    bool was_open = beast_->open;
    while (beast_->received.empty() && !beast_->closed) {
        auto came = below().receive();
        if (!came) break;
        beast_->put(*came);
        pump();
    }
    if (!was_open || beast_->received.empty()) {
        if (below().closed() && !beast_->closed) {
            if (!beast_->open) beast_->fault = "WebSocket: the connection was closed during the handshake";
            beast_->closed = true;
        }
        return std::nullopt;
    }
    beast_->last = std::move(beast_->received.front());
    beast_->received.pop_front();
    return beast_->last;
}

void WebSocket::close(std::uint16_t why) {
    if (!beast_->finishing) beast_->why_closed = why;
    beast_->finishing = true;
    beast_->write();
    pump();
}

void WebSocket::ping() {
    if (!beast_->open || beast_->closed || beast_->finishing || beast_->pinging) return;
    beast_->pinging = true;
    beast_->near.async_ping({}, [beast = beast_.get()](error_code) { beast->pinging = false; });
    pump();
}

std::uint64_t WebSocket::bytes_received() const {
    return beast_->bytes_received;
}

bool WebSocket::closed() const {
    return beast_->closed && beast_->received.empty();
}

bool WebSocket::opening() const {
    return !beast_->open && !beast_->closed;
}

std::string WebSocket::fault() const {
    return beast_->fault.empty() ? below().fault() : beast_->fault;
}

}  // namespace treaty::net
