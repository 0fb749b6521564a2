#include "net/http_callers.h"

#include <algorithm>

namespace treaty::net {
namespace {

// Time is the tester's matter, and it takes all that callers ask.
ServerOptions patient(std::function<void(const std::string&)> malformed) {
    ServerOptions options;
    options.open_requests = 1000;
    options.request_time = options.idle_time = std::chrono::milliseconds(0);
    options.most_unsent = Transport::most_unsent;
    options.malformed = std::move(malformed);
    return options;
}

}  // namespace

HttpCallers::HttpCallers(const Loop& loop, std::shared_ptr<Listener> listener)
    : server_(loop, std::move(listener), patient([this](const std::string& fault) { fault_ = fault; }),
              [this](Request request, Responder responder) {
                  came_.emplace_back(std::move(request.body), Open{request.connection, std::move(responder)});
              }) {}

std::optional<std::string_view> HttpCallers::receive() {
    if (came_.empty()) return std::nullopt;
    body_ = std::move(came_.front().first);
    open_.push_back(std::move(came_.front().second));
    came_.pop_front();
    return body_;
}

bool HttpCallers::send(std::string_view bytes) {
    if (open_.empty()) return false;
    Open oldest = std::move(open_.front());
    open_.pop_front();
    bool there = !oldest.responder.gone();
    oldest.responder.reply({200, std::string(bytes), {}, false});
    return there;
}

void HttpCallers::settle() {
    for (const Open& one : open_) one.responder.reply({204, {}, {}, false});
    open_.clear();
}

void HttpCallers::refuse(std::string_view why) {
    if (open_.empty()) return;
    Open last = std::move(open_.back());
    open_.pop_back();
    // Answers go over one connection in the order of its requests.
    auto earlier = std::stable_partition(open_.begin(), open_.end(),
                                         [&](const Open& one) { return one.connection != last.connection; });
    for (auto one = earlier; one != open_.end(); ++one) one->responder.reply({204, {}, {}, false});
    open_.erase(earlier, open_.end());
    last.responder.reply({400, std::string(why), {}, false});
}

std::string HttpCallers::obstacle(std::size_t bytes) const {
    if (open_.empty()) return "over HTTP a server can only answer requests, and none is open";
    return Transport::obstacle(bytes);
}

void HttpCallers::finish() {
    settle();
    server_.close_connections();
}

}  // namespace treaty::net
