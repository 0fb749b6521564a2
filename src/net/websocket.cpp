// Beast's stream reads and writes memory: what comes from below is put there, what it writes is taken to
// below. Its handlers run only inside pump(), so nothing happens in the background.

#include "net/websocket.h"

#include <deque>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <simdjson.h>

#include "net/memory_stream.h"

namespace treaty::net {

namespace beast = boost::beast;
using beast::error_code;

struct WebSocket::Beast {
    boost::asio::io_context context;
    beast::websocket::stream<MemoryStream> near{context};
    beast::flat_buffer reading;
    std::deque<std::string> received, unsent;
    std::string last;  // the one that receive() has just given
    std::string fault;
    bool open = false, closed = false, writing = false, finishing = false;

    void begin(Side side, const std::string& host, const std::string& path) {
        near.read_message_max(std::size_t{64} << 20);
        auto opened = [this](error_code error) {
            open = !error;
            if (error) return end(error);
            read();
            write();
        };
        if (side == Side::client)
            near.async_handshake(host, path, opened);
        else
            near.async_accept(opened);
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
        near.async_close(beast::websocket::close_code::normal, [this](error_code) { closed = true; });
    }
};

WebSocket::WebSocket(std::unique_ptr<Transport> lower, Side side, const std::string& host,
                     const std::string& path)
    : Layered(std::move(lower)), beast_(std::make_unique<Beast>()) {
    beast_->begin(side, host, path);
    pump();
}

WebSocket::~WebSocket() = default;

// Lets Beast work on what is there and passes on what it has written.
void WebSocket::pump() {
    beast_->context.restart();
    beast_->context.poll();
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
        beast_->near.next_layer().put(*came);
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

void WebSocket::finish() {
    beast_->finishing = true;
    beast_->write();
    pump();
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
