// Messages as the bodies of HTTP/1.1 requests and their replies; parsing is Boost.Beast's.
//
// Each message is posted to one path; the body of the reply, if it has one, is what the component sends. A
// server that closes after a reply is connected to again for the next message. A reply of status 400 or more
// is a fault. With HttpContent::messages a message is a whole request, head and body, and so is each reply,
// whatever its status: its body has a length, in whatever way it came.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "base/result.h"
#include "net/transport.h"

namespace treaty::net {

enum class HttpContent : std::uint8_t { bodies, messages };

class HttpClient final : public Transport {
public:
    using Connect = std::function<base::Result<std::unique_ptr<Transport>>()>;

    HttpClient(std::unique_ptr<Transport> first, Connect again, std::string host, std::string path,
               HttpContent content = HttpContent::bodies);
    ~HttpClient() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return closed_; }
    bool flush() override { return below_->flush(); }
    std::size_t unsent() const override { return below_->unsent(); }
    bool opening() const override { return below_->opening(); }
    bool whole_messages() const override { return true; }
    std::string fault() const override { return fault_.empty() ? below_->fault() : fault_; }
    bool broken_off() const override { return broken_off_; }
    void await_events(Await what) override {
        if (!below_->closed()) below_->await_events(what);
    }
    void on_wake(Wake wake) override;

private:
    struct Parser;
    bool take_reply();
    std::deque<bool> heads_;  // of the requests without a reply yet: whether the reply has no body

    std::unique_ptr<Transport> below_;
    Connect again_;
    std::string host_, path_;
    HttpContent content_;
    std::unique_ptr<Parser> parser_;
    Wake wake_;
    std::string waiting_, body_, fault_;
    std::size_t asked_ = 0;  // requests without a reply yet
    bool last_use_ = false;  // of the connection: the server has said that it closes it
    bool finished_ = false, closed_ = false, broken_off_ = false;
};

}  // namespace treaty::net
