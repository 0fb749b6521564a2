#include "net/http.h"

#include <sys/epoll.h>

#include <algorithm>

#include <fmt/format.h>
#include <boost/beast/http.hpp>

#include "net/sockets.h"

namespace treaty::net {

namespace http = boost::beast::http;
using boost::beast::error_code;

namespace {

constexpr std::uint64_t longest_body = std::uint64_t{64} << 20;

template <bool is_request>
struct BodyParser : http::parser<is_request, http::string_body> {
    BodyParser() {
        this->eager(true);
        this->body_limit(longest_body);
    }
};

// Gives the parser what waits; true when a whole message has been read. A fault is put into words.
template <class Parser>
bool parse(Parser& parser, std::string& waiting, bool at_end, std::string& fault) {
    error_code error;
    while (!parser.is_done() && !waiting.empty()) {
        std::size_t used = parser.put(boost::asio::buffer(waiting), error);
        waiting.erase(0, used);
        if (error == http::error::need_more) break;
        if (error) {
            fault = "HTTP: " + error.message();
            return false;
        }
        if (used == 0) break;
    }
    if (!parser.is_done() && at_end && parser.got_some()) {
        error = {};
        parser.put_eof(error);
        if (error) fault = "HTTP: " + error.message();
    }
    return parser.is_done();
}

}  // namespace

struct HttpClient::Parser : BodyParser<false> {};

HttpClient::HttpClient(std::unique_ptr<Transport> first, Connect again, std::string host, std::string path)
    : below_(std::move(first)),
      again_(std::move(again)),
      host_(std::move(host)),
      path_(std::move(path)),
      parser_(std::make_unique<Parser>()) {}

HttpClient::~HttpClient() = default;

bool HttpClient::send(std::string_view bytes) {
    if (closed_) return false;
    if (asked_ == 0) {
        // The end of a connection that is not used any more only shows when it is looked for.
        below_->receive();
        if (below_->closed()) {
            auto fresh = again_();
            if (!fresh) return false;
            below_ = std::move(fresh);
        }
    }
    ++asked_;
    bool json = !bytes.empty() && bytes.front() == '{';
    return below_->send(
        fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", path_,
                    host_, json ? "application/json" : "application/octet-stream", bytes.size(), bytes));
}

// True if one has come; the body is then in body_.
bool HttpClient::take_reply() {
    if (!parse(*parser_, waiting_, below_->closed(), fault_)) {
        broken_off_ = !fault_.empty() && below_->closed() && waiting_.empty();
        return false;
    }
    unsigned status = parser_->get().result_int();
    if (status >= 400)
        fault_ =
            fmt::format("HTTP: the component answers {} {}", status, std::string(parser_->get().reason()));
    asked_ -= asked_ > 0;
    body_ = std::move(parser_->get().body());
    parser_ = std::make_unique<Parser>();
    if (finished_ && asked_ == 0) below_->finish();
    return true;
}

std::optional<std::string_view> HttpClient::receive() {
    while (!closed_) {
        auto came = receive_also_opened(*below_);
        if (came) waiting_ += *came;
        bool replied = take_reply();
        if (!fault_.empty())
            closed_ = true;
        else if (replied && !body_.empty())
            return body_;
        else if (!replied && !came) {
            // Closed between two exchanges is not the end: the next one connects again.
            closed_ = below_->closed() && (asked_ > 0 || finished_);
            break;
        }
    }
    return std::nullopt;
}

void HttpClient::finish() {
    finished_ = true;
    if (asked_ == 0) below_->finish();
}

struct HttpServer::Caller {
    std::unique_ptr<Transport> below;
    std::unique_ptr<BodyParser<true>> parser = std::make_unique<BodyParser<true>>();
    std::string waiting;
    std::uint32_t watched = 0;  // what the group waits for
    bool told_to_go_on = false;
    bool refused = false;  // it does not speak HTTP; what it says is not read
};

HttpServer::HttpServer(const base::Descriptor& listener, Wrap wrap, HttpManners manners)
    : listener_(listener),
      wrap_(std::move(wrap)),
      manners_(std::move(manners)),
      group_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(group_.get(), EPOLL_CTL_ADD, listener_.get(), &event);
}

HttpServer::~HttpServer() = default;

// What the caller may do next: say more, or take more of what is kept for it.
void HttpServer::watch(Caller& caller) {
    epoll_event event{};
    if (!caller.below->closed()) event.events |= EPOLLIN;
    if (caller.below->pending()) event.events |= EPOLLOUT;
    if (event.events == caller.watched) return;
    caller.watched = event.events;
    epoll_ctl(group_.get(), EPOLL_CTL_MOD, caller.below->output(), &event);
}

bool HttpServer::has_open(const Caller& caller) const {
    return std::find(open_.begin(), open_.end(), &caller) != open_.end();
}

// The oldest that waits for nothing goes.
void HttpServer::make_room() {
    if (callers_.size() < manners_.most_callers || !manners_.one_request) return;
    auto idle = std::find_if(callers_.begin(), callers_.end(), [&](const Caller& c) { return !has_open(c); });
    if (idle != callers_.end()) callers_.erase(idle);
}

void HttpServer::accept_all() {
    for (make_room(); callers_.size() < manners_.most_callers; make_room()) {
        auto socket = accept_until(listener_, Clock::now());
        if (!socket) return;
        epoll_event event{};
        event.events = EPOLLIN;
        epoll_ctl(group_.get(), EPOLL_CTL_ADD, socket->get(), &event);
        Caller& caller = callers_.emplace_back();
        caller.watched = event.events;
        caller.below = wrap_(std::move(*socket));
    }
}

bool HttpServer::take_request(Caller& caller) {
    for (;;) {
        auto came = receive_also_opened(*caller.below);
        if (caller.refused) return false;  // read, and thrown away, so that its end is seen
        if (came) caller.waiting += *came;
        if (parse(*caller.parser, caller.waiting, caller.below->closed(), fault_)) {
            open_.push_back(&caller);
            body_ = std::move(caller.parser->get().body());
            caller.parser = std::make_unique<BodyParser<true>>();
            caller.told_to_go_on = false;
            return true;
        }
        if (!fault_.empty()) {
            answer(caller, "400 Bad Request", fault_);
            caller.below->finish();
            caller.refused = manners_.forgiving;
            if (manners_.forgiving) fault_.clear();
            return false;
        }
        // A client with a large body may wait for "100 Continue" first.
        if (!caller.told_to_go_on && caller.parser->is_header_done() &&
            caller.parser->get()[http::field::expect] == "100-continue") {
            caller.told_to_go_on = true;
            caller.below->send("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (!came) return false;
    }
}

std::optional<std::string_view> HttpServer::receive() {
    if (!fault_.empty()) return std::nullopt;
    accept_all();
    for (auto caller = callers_.begin(); caller != callers_.end();) {
        bool took = take_request(*caller);
        watch(*caller);
        if (took) return body_;
        bool done = caller->below->closed() && !caller->below->pending() && !has_open(*caller);
        caller = done ? callers_.erase(caller) : std::next(caller);
    }
    return std::nullopt;
}

bool HttpServer::answer(Caller& caller, std::string_view status, std::string_view body) {
    std::string head = fmt::format("HTTP/1.1 {}\r\n", status);
    if (!manners_.content_type.empty()) head += fmt::format("Content-Type: {}\r\n", manners_.content_type);
    if (!status.starts_with("204")) head += fmt::format("Content-Length: {}\r\n", body.size());
    if (manners_.one_request) head += "Connection: close\r\n";
    bool sent = caller.below->send(fmt::format("{}\r\n{}", head, body));
    if (manners_.one_request) caller.below->finish();
    watch(caller);
    return sent;
}

bool HttpServer::send(std::string_view bytes) {
    if (open_.empty()) return false;
    Caller* oldest = open_.front();
    open_.pop_front();
    return answer(*oldest, "200 OK", bytes);
}

void HttpServer::settle() {
    for (Caller* caller : open_) answer(*caller, "204 No Content", {});
    open_.clear();
}

void HttpServer::refuse(std::string_view why) {
    if (open_.empty()) return;
    Caller* last = open_.back();
    open_.pop_back();
    // Answers go over one connection in the order of its requests.
    for (auto own = open_.begin(); (own = std::find(own, open_.end(), last)) != open_.end();
         own = open_.erase(own))
        answer(*last, "204 No Content", {});
    answer(*last, "400 Bad Request", why);
}

bool HttpServer::flush() {
    for (Caller& caller : callers_) {
        caller.below->flush();
        watch(caller);
    }
    return true;
}

std::size_t HttpServer::unsent() const {
    std::size_t all = 0;
    for (const Caller& caller : callers_) all += caller.below->unsent();
    return all;
}

std::string HttpServer::obstacle(std::size_t bytes) const {
    if (open_.empty()) return "over HTTP a server can only answer requests, and none is open";
    return Transport::obstacle(bytes);
}

void HttpServer::finish() {
    settle();
    for (Caller& caller : callers_) caller.below->finish();
}

}  // namespace treaty::net
