#include "net/server_connection.h"

#include <fmt/format.h>
#include <boost/asio/post.hpp>

namespace treaty::net {
namespace {

constexpr int most_turns = 32;  // requests, messages or pieces in one step; then others have their turn

bool has_body(unsigned status) {
    return status >= 200 && status != 204 && status != 304;
}

// Line ends would let a value add fields of its own.
void put_field(std::string& head, std::string_view name, std::string_view value) {
    std::string line = fmt::format("{}: {}", name, value);
    for (char& c : line)
        if (c == '\r' || c == '\n') c = ' ';
    head += line + "\r\n";
}

std::string head_of(const Reply& reply) {
    auto reason = http::obsolete_reason(http::int_to_status(reply.status));
    std::string head =
        fmt::format("HTTP/1.1 {} {}\r\n", reply.status, std::string_view(reason.data(), reason.size()));
    for (const Field& field : reply.fields) put_field(head, field.name, field.value);
    return head;
}

std::string text(boost::beast::string_view view) {
    return {view.data(), view.size()};
}

// What a WebSocket server needs to know of the request, as it was sent.
std::string upgrade_of(const Request& request) {
    std::string head = fmt::format("GET {} HTTP/1.1\r\n", request.target);
    for (std::string_view name :
         {"Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"})
        if (!request.field(name).empty()) put_field(head, name, request.field(name));
    return head + "\r\n";
}

}  // namespace

struct Responder::Promise {
    std::shared_ptr<Connection::Answer> answer;

    explicit Promise(std::shared_ptr<Connection::Answer> made) : answer(std::move(made)) {}
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;
    ~Promise() {
        if (answer->done) return;
        if (!answer->begun) put({500, "the request was not answered", {}, true});
        answer->done = answer->close = true;  // if it was cut short, the client sees that the end is missing
        send_out();
    }

    // Null if the client is gone.
    std::shared_ptr<Connection> connection() const {
        auto here = answer->connection.lock();
        return here && !here->gone_ ? here : nullptr;
    }
    // Goes out at once if nothing is before it; the rest is done inside the loop.
    void send_out() const {
        auto here = connection();
        if (!here) return;
        if (!here->stepping_ && !here->answers_.empty() && here->answers_.front() == answer &&
            !answer->bytes.empty())
            here->transport_->send(std::exchange(answer->bytes, {}));
        here->step_soon();
    }
    void put(Reply reply) const {
        if (answer->begun || answer->done) return;
        auto here = connection();
        answer->close = answer->close || reply.close || (here && here->closing_);
        std::string head = head_of(reply);
        if (has_body(reply.status)) put_field(head, "Content-Length", std::to_string(reply.body.size()));
        if (answer->close) put_field(head, "Connection", "close");
        answer->bytes = head + "\r\n";
        if (has_body(reply.status) && !answer->head_only) answer->bytes += reply.body;
        answer->begun = answer->done = true;
        send_out();
    }
};

struct Connection::ChannelState final : Channel {
    std::weak_ptr<Connection> connection;
    Handlers handlers;
    bool closing = false;
    bool written = false;  // since drained() was called last

    std::shared_ptr<Connection> owner() const {
        auto here = connection.lock();
        return here && !here->gone_ ? here : nullptr;
    }
    bool send(std::string_view message) override {
        auto here = owner();
        if (!here || closing || here->unsent() + message.size() > here->server_.options.most_unsent)
            return false;
        bool sent = written = here->websocket_->send(message);
        here->step_soon();
        return sent;
    }
    std::size_t unsent() const override {
        auto here = owner();
        return here ? here->unsent() : 0;
    }
    bool open() const override { return !closing && owner(); }
    void close() override { close(WebSocket::normal); }
    void close(std::uint16_t why) {
        auto here = owner();
        if (!here || std::exchange(closing, true)) return;
        here->websocket_->close(why);
        here->step_soon();
    }
};

Connection::Connection(ServerSide& server, std::uint64_t number, std::unique_ptr<Transport> transport)
    : server_(server), number_(number), transport_(std::move(transport)), timer_(server.loop.context()->io) {}

void Connection::start() {
    transport_->on_wake([weak = weak_from_this()] {
        if (auto here = weak.lock()) here->step();
    });
    step();
}

void Connection::close() {
    closing_ = true;
    if (channel_) channel_->close(WebSocket::going_away);
    step_soon();
}

std::size_t Connection::unsent() const {
    std::size_t all = transport_->unsent();
    for (const auto& answer : answers_) all += answer->bytes.size();
    return all;
}

void Connection::step_soon() {
    if (gone_ || std::exchange(step_posted_, true)) return;
    asio::post(server_.loop.context()->io, [weak = weak_from_this()] {
        auto here = weak.lock();
        if (!here) return;
        here->step_posted_ = false;
        here->step();
    });
}

void Connection::step() {
    if (gone_ || std::exchange(stepping_, true)) return;
    auto here = shared_from_this();
    transport_->flush();
    if (websocket_) {
        step_websocket();
    } else {
        int turns = 0;
        std::size_t left = 0;
        do {
            read_requests();
            if (websocket_) break;
            left = answers_.size();
            send_answers();
        } while (!lingering_ && answers_.size() < left && ++turns < most_turns);
        if (turns == most_turns) step_soon();
        // What has begun to come is still answered.
        if (closing_ && !parser_ && waiting_.empty()) no_more_requests_ = true;
        if (!lingering_ && no_more_requests_ && answers_.empty() && !websocket_) begin_linger();
        if (lingering_) discard_input();
    }
    stepping_ = false;
    if (closing_ && channel_) channel_->close(WebSocket::going_away);
    if (over())
        leave();
    else
        wait_on();
}

// Until so many wait for an answer as may, the client has enough to read, or there is nothing more.
void Connection::read_requests() {
    for (int turns = 0; !lingering_ && !no_more_requests_ && upgrade_.empty() && !websocket_ &&
                        answers_.size() < server_.options.open_requests &&
                        transport_->unsent() < server_.options.enough_unsent;
         ++turns) {
        if (turns == most_turns) return step_soon();
        if (take_request()) continue;
        if (lingering_ || no_more_requests_) return;
        auto came = receive_also_opened(*transport_);
        if (came)
            waiting_ += *came;
        else if (!transport_->closed() || !take_request())
            return;
    }
}

// True if a whole one has come and was given to the handler.
bool Connection::take_request() {
    if (!parser_) {
        if (waiting_.empty()) return false;
        parser_ = std::make_unique<BodyParser<true>>();
        parser_->header_limit(static_cast<std::uint32_t>(server_.options.longest_head));
        parser_->body_limit(server_.options.longest_body);
        since_ = Clock::now();
    }
    if (auto error = parse(*parser_, waiting_, transport_->closed())) {
        refuse(error);
        return false;
    }
    if (!parser_->is_done()) {
        tell_to_go_on();
        return false;
    }
    auto message = parser_->release();
    bool keep = message.keep_alive() && message.version() >= 11 && !closing_;
    parser_.reset();
    told_to_go_on_ = false;
    Request request;
    request.method = text(message.method_string());
    request.target = text(message.target());
    for (const auto& field : message)
        request.fields.push_back({text(field.name_string()), text(field.value())});
    request.body = std::move(message.body());
    request.connection = number_;
    auto answer = answers_.emplace_back(std::make_shared<Answer>());
    answer->connection = weak_from_this();
    answer->old_client = message.version() < 11;
    answer->head_only = message.method() == http::verb::head;
    answer->close = !keep;
    answer->wants_websocket = keep && request.wants_websocket();
    if (answer->wants_websocket) upgrade_ = upgrade_of(request);
    if (!keep) no_more_requests_ = true;
    server_.handler(std::move(request), Responder(std::make_shared<Responder::Promise>(answer)));
    return true;
}

void Connection::refuse(boost::beast::error_code error) {
    unsigned status = error == http::error::header_limit ? 431 : error == http::error::body_limit ? 413 : 400;
    std::string why = "HTTP: " + error.message();
    answer_error(status, why);
    if (server_.options.malformed) server_.options.malformed(why);
}

// After the answers that are due.
void Connection::answer_error(unsigned status, const std::string& why) {
    no_more_requests_ = true;
    parser_.reset();
    waiting_.clear();
    auto answer = answers_.emplace_back(std::make_shared<Answer>());
    answer->connection = weak_from_this();
    answer->close = true;
    Responder::Promise(answer).put({status, why, {{"Content-Type", "text/plain; charset=utf-8"}}, true});
}

// A client with a large body may wait for "100 Continue" first.
void Connection::tell_to_go_on() {
    if (told_to_go_on_ || !answers_.empty() || !parser_->is_header_done()) return;
    if (!boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) return;
    told_to_go_on_ = true;
    transport_->send("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::send_answers() {
    while (!answers_.empty() && !lingering_ && !websocket_) {
        std::shared_ptr<Answer> first = answers_.front();
        if (!first->bytes.empty()) transport_->send(std::exchange(first->bytes, {}));
        if (!first->done) {
            bool out = first->drained && transport_->unsent() == 0 && std::exchange(first->written, false);
            if (out) first->drained();
            if (out) step_soon();  // with what it has written
            return;
        }
        answers_.pop_front();
        upgrade_.clear();
        if (first->close) begin_linger();
    }
}

// Closing at once could take the answer away from a client that is still sending.
void Connection::begin_linger() {
    lingering_ = no_more_requests_ = true;
    answers_.clear();
    parser_.reset();
    waiting_.clear();
    transport_->finish();
}

void Connection::discard_input() {
    int turns = 0;
    while (turns < most_turns && transport_->receive()) ++turns;
    if (turns == most_turns) step_soon();
}

void Connection::step_websocket() {
    auto channel = channel_;
    int turns = 0;
    while (websocket_->unsent() < server_.options.enough_unsent && turns < most_turns) {
        bool opening = websocket_->opening();
        auto message = websocket_->receive();
        if (!message && (!opening || websocket_->opening())) break;
        ++turns;
        if (message && channel->handlers.message) channel->handlers.message(*channel, *message);
    }
    if (turns == most_turns) step_soon();
    if (websocket_->unsent() == 0 && channel->open() && std::exchange(channel->written, false) &&
        channel->handlers.drained)
        channel->handlers.drained(*channel);
}

bool Connection::over() const {
    if (transport_->broken() || !transport_->fault().empty())
        return !transport_->pending() || transport_->broken();
    if (transport_->hung_up()) return true;
    return transport_->closed() && !transport_->pending() && answers_.empty();
}

void Connection::leave() {
    if (std::exchange(gone_, true)) return;
    timer_.cancel();
    transport_->on_wake(nullptr);
    if (channel_ && channel_->handlers.closed) std::exchange(channel_->handlers.closed, nullptr)(*channel_);
    server_.gone(number_);
}

Connection::Phase Connection::phase() const {
    if (lingering_) return Phase::lingering;
    if (websocket_) return Phase::websocket;
    if (transport_->pending()) return Phase::sending;
    if (!answers_.empty()) return Phase::answering;
    return parser_ || transport_->opening() ? Phase::reading : Phase::idle;
}

std::chrono::milliseconds Connection::time_limit() const {
    switch (phase_) {
        case Phase::reading: return server_.options.request_time;
        case Phase::lingering: return server_.options.linger_time;
        case Phase::answering: return std::chrono::milliseconds(0);  // the handler's matter
        case Phase::websocket:
            return channel_->closing ? server_.options.linger_time : server_.options.idle_time / 2;
        case Phase::idle:
        case Phase::sending: return server_.options.idle_time;
    }
    return {};
}

void Connection::wait_on() {
    bool heard = websocket_ && websocket_->bytes_received() != last_received_;
    if (phase() != phase_ || transport_->unsent() != last_unsent_ || heard) {
        since_ = Clock::now();
        pinged_ = false;
    }
    bool idles = phase() == Phase::idle && phase_ != Phase::idle;
    phase_ = phase();
    if (idles) server_.became_idle();
    last_unsent_ = transport_->unsent();
    if (websocket_) last_received_ = websocket_->bytes_received();
    bool room = last_unsent_ < server_.options.enough_unsent;
    bool reads = lingering_ || transport_->opening() ||
                 (room && (websocket_ || (!no_more_requests_ && upgrade_.empty() &&
                                          answers_.size() < server_.options.open_requests)));
    transport_->await_events(reads ? Transport::Await::all : Transport::Await::all_but_input);
    set_timer();
}

// Looked at again when it ends: most that it is set for happens before.
void Connection::set_timer() {
    if (time_limit().count() == 0 || since_ + time_limit() >= timer_at_) return;
    timer_at_ = since_ + time_limit();
    timer_.expires_at(timer_at_);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
        auto here = weak.lock();
        if (!here || here->gone_ || error) return;
        here->timer_at_ = Time::max();
        if (here->time_limit().count() > 0 && Clock::now() >= here->since_ + here->time_limit())
            here->time_is_up();
        else
            here->set_timer();
    });
}

void Connection::time_is_up() {
    if (phase_ == Phase::websocket && !pinged_ && !channel_->closing) {
        since_ = Clock::now();
        websocket_->ping();
        pinged_ = true;
        last_unsent_ = transport_->unsent();
        return wait_on();
    }
    if (phase_ != Phase::reading || !parser_) return leave();
    answer_error(408, "the request did not come in time");
    step();
}

std::shared_ptr<Channel> Connection::become_websocket(Channel::Handlers handlers, std::string protocol) {
    if (gone_ || upgrade_.empty() || answers_.size() != 1) return nullptr;
    WebSocket::Serving how;
    how.already_read = std::exchange(upgrade_, {}) + std::exchange(waiting_, {});
    how.protocol = std::move(protocol);
    how.longest = server_.options.longest_message;
    auto made = std::make_unique<WebSocket>(server_.loop, std::move(transport_), how);
    websocket_ = made.get();
    transport_ = std::move(made);
    answers_.clear();
    channel_ = std::make_shared<ChannelState>();
    channel_->connection = weak_from_this();
    channel_->handlers = std::move(handlers);
    step_soon();
    return channel_;
}

void Responder::reply(Reply reply) const {
    promise_->put(std::move(reply));
}

// A client of HTTP/1.0 knows no chunks: the connection ends with the answer.
void Responder::begin(Reply head, std::function<void()> drained) const {
    auto& answer = *promise_->answer;
    if (answer.begun || answer.done) return;
    answer.begun = true;
    answer.drained = std::move(drained);
    answer.chunked = !answer.old_client;
    answer.close = answer.close || head.close || answer.old_client;
    answer.bytes = head_of(head);
    if (answer.chunked) put_field(answer.bytes, "Transfer-Encoding", "chunked");
    if (answer.close) put_field(answer.bytes, "Connection", "close");
    answer.bytes += "\r\n";
    write(head.body);
    promise_->send_out();
}

bool Responder::write(std::string_view chunk) const {
    auto& answer = *promise_->answer;
    if (!answer.begun || answer.done || gone()) return false;
    if (chunk.empty() || answer.head_only) return true;  // an empty one would be the end
    if (answer.chunked) answer.bytes += fmt::format("{:x}\r\n", chunk.size());
    answer.bytes += chunk;
    answer.written = true;
    if (answer.chunked) answer.bytes += "\r\n";
    promise_->send_out();
    return true;
}

void Responder::end() const {
    auto& answer = *promise_->answer;
    if (!answer.begun || answer.done) return;
    if (answer.chunked && !answer.head_only) answer.bytes += "0\r\n\r\n";
    answer.done = true;
    answer.drained = nullptr;
    promise_->send_out();
}

std::size_t Responder::unsent() const {
    auto here = promise_->connection();
    return here ? here->unsent() : 0;
}

bool Responder::gone() const {
    return !promise_->connection();
}

std::shared_ptr<Channel> Responder::accept(Channel::Handlers handlers, std::string protocol) const {
    auto& answer = *promise_->answer;
    auto here = promise_->connection();
    if (!here || answer.begun || answer.done || !answer.wants_websocket) return nullptr;
    auto channel = here->become_websocket(std::move(handlers), std::move(protocol));
    answer.begun = answer.done = channel != nullptr;
    return channel;
}

}  // namespace treaty::net
