// One client of a server: reads its requests, keeps its answers in order, and becomes a WebSocket if asked
// to.
//
// Only for server.cpp. A connection is owned by its server; what holds it weakly (responders, channels, the
// loop) finds it gone after leave(). step() does all that can be done now and then waits for the next event;
// it never calls itself: an answer given inside the handler goes out when the handler returns.
#pragma once

#include <deque>
#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "net/http_parse.h"
#include "net/server.h"
#include "net/websocket.h"

namespace treaty::net {

// What connections need of their server.
struct ServerSide {
    Loop loop;
    ServerOptions options;
    Server::Handler handler;
    bool stopping = false;  // no more connections are accepted

    virtual ~ServerSide() = default;
    virtual void gone(std::uint64_t connection) = 0;
    virtual void became_idle() = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    // The answer to one request, in the order of the requests.
    struct Answer {
        std::weak_ptr<Connection> connection;
        std::string bytes;  // not given to the transport yet
        std::function<void()> drained;
        bool old_client = false;  // HTTP/1.0
        bool head_only = false;   // no body is sent
        bool begun = false, chunked = false, done = false, close = false;
        bool wants_websocket = false;
        bool written = false;  // since drained() was called last
    };

    Connection(ServerSide& server, std::uint64_t number, std::unique_ptr<Transport> transport);

    void start();
    void close();  // after the answers that are due
    void leave();  // at once
    bool idle() const { return phase_ == Phase::idle; }
    Time since() const { return since_; }
    std::size_t unsent() const;

private:
    friend class Responder;
    enum class Phase : std::uint8_t { idle, reading, answering, sending, lingering, websocket };
    struct ChannelState;

    void step();
    void step_soon();
    void read_requests();
    bool take_request();
    void refuse(boost::beast::error_code error);
    void answer_error(unsigned status, const std::string& why);
    void tell_to_go_on();
    void send_answers();
    void begin_linger();
    void discard_input();
    void step_websocket();
    bool over() const;
    void wait_on();
    Phase phase() const;
    std::chrono::milliseconds time_limit() const;
    void set_timer();
    void time_is_up();
    std::shared_ptr<Channel> become_websocket(Channel::Handlers handlers, std::string protocol);

    ServerSide& server_;
    std::uint64_t number_;
    std::unique_ptr<Transport> transport_;
    WebSocket* websocket_ = nullptr;  // the transport, once it is one
    std::shared_ptr<ChannelState> channel_;
    std::unique_ptr<BodyParser<true>> parser_;
    std::string waiting_;  // read, and not parsed yet
    std::string upgrade_;  // the request that asks for a WebSocket, while it waits for its answer
    std::deque<std::shared_ptr<Answer>> answers_;
    asio::steady_timer timer_;
    Time since_ = Clock::now(), timer_at_ = Time::max();
    Phase phase_ = Phase::idle;
    std::size_t last_unsent_ = 0;
    std::uint64_t last_received_ = 0;
    bool stepping_ = false, step_posted_ = false, told_to_go_on_ = false;
    bool closing_ = false, no_more_requests_ = false, lingering_ = false, pinged_ = false, gone_ = false;
};

}  // namespace treaty::net
