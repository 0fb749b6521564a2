#include "net/http_client.h"

#include <fmt/format.h>

#include "net/http_parse.h"

namespace treaty::net {

struct HttpClient::Parser : BodyParser<false> {};

void HttpClient::on_wake(Wake wake) {
    wake_ = std::move(wake);
    below_->on_wake(wake_);
}

HttpClient::HttpClient(std::unique_ptr<Transport> first, Connect again, std::string host, std::string path,
                       HttpContent content)
    : below_(std::move(first)),
      again_(std::move(again)),
      host_(std::move(host)),
      path_(std::move(path)),
      content_(content),
      parser_(std::make_unique<Parser>()) {}

HttpClient::~HttpClient() = default;

bool HttpClient::send(std::string_view bytes) {
    if (closed_) return false;
    if (asked_ == 0) {
        // The end of a connection that is not used any more only shows when it is looked for; twice, since
        // the first look may only tell that the last one took all that was there then.
        if (!below_->receive()) below_->receive();
        if (below_->closed() || last_use_) {
            auto fresh = again_();
            if (!fresh) return false;
            below_ = std::move(*fresh);
            below_->on_wake(wake_);
            waiting_.clear();
            last_use_ = false;
        }
    }
    ++asked_;
    if (content_ == HttpContent::messages) {
        heads_.push_back(bytes.starts_with("HEAD "));
        parser_->skip(heads_.front());
        return below_->send(bytes);
    }
    bool json = !bytes.empty() && bytes.front() == '{';
    return below_->send(
        fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", path_,
                    host_, json ? "application/json" : "application/octet-stream", bytes.size(), bytes));
}

// True if one has come; the body is then in body_.
bool HttpClient::take_reply() {
    if (auto error = parse(*parser_, waiting_, below_->closed())) fault_ = "HTTP: " + error.message();
    if (!parser_->is_done()) {
        broken_off_ = !fault_.empty() && below_->closed() && waiting_.empty();
        return false;
    }
    unsigned status = parser_->get().result_int();
    bool whole = content_ == HttpContent::messages;
    last_use_ = !parser_->keep_alive();
    if (!whole && status >= 400)
        fault_ =
            fmt::format("HTTP: the component answers {} {}", status, std::string(parser_->get().reason()));
    asked_ -= asked_ > 0;
    body_ = whole ? written(parser_->get()) : std::move(parser_->get().body());
    if (!heads_.empty()) heads_.pop_front();
    parser_ = std::make_unique<Parser>();
    parser_->skip(!heads_.empty() && heads_.front());
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

}  // namespace treaty::net
