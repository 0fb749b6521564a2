// A stream of Asio in memory: what reads from it gets what was put there, what it is given to write can be
// taken.
//
// For protocols of Beast and Asio over a Transport: they run on an executor of their owner, who puts what has
// come, lets them run, and takes what they have written. A write is done at once, since memory takes
// everything; a read waits until something is put, or for ever. One thread; one read at a time.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace treaty::net {

class MemoryStream {
public:
    using executor_type = boost::asio::io_context::executor_type;
    using error_code = boost::beast::error_code;

    explicit MemoryStream(boost::asio::io_context& context) : executor_(context.get_executor()) {}
    MemoryStream(const MemoryStream&) = delete;
    MemoryStream& operator=(const MemoryStream&) = delete;

    executor_type get_executor() const { return executor_; }

    void put(std::string_view bytes) {
        incoming_ += bytes;
        resume();
    }
    std::string take() { return std::exchange(outgoing_, {}); }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, const Buffers& into) { begin_read(std::move(handler), into); }, token,
            buffers);
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, const Buffers& from) {
                std::size_t size = boost::asio::buffer_size(from);
                std::size_t before = outgoing_.size();
                outgoing_.resize(before + size);
                boost::asio::buffer_copy(boost::asio::buffer(outgoing_.data() + before, size), from);
                complete(std::move(handler), {}, size);
            },
            token, buffers);
    }

private:
    template <class Handler>
    void complete(Handler handler, error_code error, std::size_t size) {
        boost::asio::post(executor_, boost::beast::bind_front_handler(std::move(handler), error, size));
    }

    // Handlers can only be moved, functions must be copied: hence the shared pointer.
    template <class Handler, class Buffers>
    void begin_read(Handler handler, const Buffers& into) {
        auto kept = std::make_shared<Handler>(std::move(handler));
        reading_ = [this, kept, into] {
            std::size_t size = boost::asio::buffer_copy(into, boost::asio::buffer(incoming_));
            incoming_.erase(0, size);
            complete(std::move(*kept), {}, size);
        };
        resume();
    }

    void resume() {
        if (!reading_ || incoming_.empty()) return;
        std::exchange(reading_, nullptr)();
    }

    executor_type executor_;
    std::string incoming_, outgoing_;
    std::function<void()> reading_;  // one that waits; none: empty
};

// What Beast asks of a stream when a WebSocket has been closed: the owner ends what is below.
inline void teardown(boost::beast::role_type, MemoryStream&, boost::beast::error_code& error) {
    error = {};
}
inline void beast_close_socket(MemoryStream&) {}
template <class Handler>
void async_teardown(boost::beast::role_type, MemoryStream& stream, Handler&& handler) {
    boost::asio::post(stream.get_executor(), boost::beast::bind_front_handler(std::forward<Handler>(handler),
                                                                              boost::beast::error_code()));
}

}  // namespace treaty::net
