// A stream of Asio in memory: what reads from it gets what was put there, what it is given to write can be
// taken.
//
// For protocols of Beast over a Transport: their handlers go into a queue of their owner, who puts what has
// come, runs the queue, and takes what they have written. So they run inside the owner's calls, and one of
// them costs no descriptor. A write is done at once, since memory takes everything; a read waits until
// something is put, or for ever. One thread; one read at a time.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace treaty::net {

// Handlers in the order in which they came, until they are run.
class HandlerQueue {
public:
    // What Asio runs handlers with. Its timers belong to `context`, which runs none of these handlers.
    class Executor {
    public:
        Executor(HandlerQueue& queue, boost::asio::execution_context& context)
            : queue_(&queue), context_(&context) {}

        template <class Function>
        void execute(Function function) const {
            queue_->waiting_.push_back(std::make_unique<ItemOf<Function>>(std::move(function)));
        }
        boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
            return *context_;
        }
        static constexpr boost::asio::execution::blocking_t query(
            boost::asio::execution::blocking_t) noexcept {
            return boost::asio::execution::blocking.never;
        }
        Executor require(boost::asio::execution::blocking_t::never_t) const noexcept { return *this; }
        bool operator==(const Executor& other) const noexcept { return queue_ == other.queue_; }
        bool operator!=(const Executor& other) const noexcept { return queue_ != other.queue_; }

    private:
        HandlerQueue* queue_;
        boost::asio::execution_context* context_;
    };

    HandlerQueue() = default;
    HandlerQueue(const HandlerQueue&) = delete;
    HandlerQueue& operator=(const HandlerQueue&) = delete;

    // All of them, with those that they add.
    void run() {
        while (!waiting_.empty()) {
            auto one = std::move(waiting_.front());
            waiting_.pop_front();
            one->run();
        }
    }

private:
    struct Item {
        virtual ~Item() = default;
        virtual void run() = 0;
    };
    template <class Function>
    struct ItemOf final : Item {
        explicit ItemOf(Function made) : function(std::move(made)) {}
        void run() override { std::move(function)(); }
        Function function;
    };
    std::deque<std::unique_ptr<Item>> waiting_;
};

class MemoryStream {
public:
    using executor_type = HandlerQueue::Executor;
    using error_code = boost::beast::error_code;

    explicit MemoryStream(executor_type executor) : executor_(executor) {}
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
