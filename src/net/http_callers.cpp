#include "net/http_callers.h"

#include <algorithm>

#include <fmt/format.h>

#include "net/http_parse.h"

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

bool about_connection(std::string_view name) {
    http::field field = http::string_to_field(name);
    return is_about_length(field) || field == http::field::connection;
}

// A request as bytes, with the length of its body.
std::string written(const Request& request) {
    std::string out = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
    for (const Field& f : request.fields)
        if (!about_connection(f.name)) out += fmt::format("{}: {}\r\n", f.name, f.value);
    if (!request.body.empty()) out += fmt::format("Content-Length: {}\r\n", request.body.size());
    return out + "\r\n" + request.body;
}

// The reply that these bytes are; nothing if they are something else.
std::optional<Reply> reply_in(std::string_view bytes) {
    BodyParser<false> parser;
    std::string waiting(bytes);
    if (parse(parser, waiting, true) || !parser.is_done()) return std::nullopt;
    Reply reply{parser.get().result_int(), std::move(parser.get().body()), {}, false};
    for (const auto& f : parser.get())
        if (!about_connection(f.name_string()))
            reply.fields.push_back({std::string(f.name_string()), std::string(f.value())});
    return reply;
}

}  // namespace

HttpCallers::HttpCallers(const Loop& loop, std::shared_ptr<Listener> listener, HttpContent content)
    : content_(content),
      server_(loop, std::move(listener), patient([this](const std::string& fault) { fault_ = fault; }),
              [this](Request request, Responder responder) {
                  std::string message =
                      content_ == HttpContent::messages ? written(request) : std::move(request.body);
                  came_.emplace_back(std::move(message), Open{request.connection, std::move(responder)});
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
    auto reply =
        content_ == HttpContent::messages ? reply_in(bytes) : Reply{200, std::string(bytes), {}, false};
    if (!reply) return false;
    oldest.responder.reply(std::move(*reply));
    return there;
}

void HttpCallers::answer_open_requests() {
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
    answer_open_requests();
    server_.close_connections();
}

}  // namespace treaty::net
