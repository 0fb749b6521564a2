// The callers of an HTTP server as one transport: each request's body, on whatever connection, is a message.
//
// What is sent answers the oldest request that is still open; answer_open_requests() answers the open ones
// with nothing (204), refuse() the one that came last with 400 and the reason. A caller that does not speak
// HTTP is answered 400 and is a fault. With HttpContent::messages a message is a whole request, and what is
// sent is a whole reply; lengths and the life of the connections are the server's matter.
#pragma once

#include <deque>

#include "net/http_client.h"
#include "net/server.h"
#include "net/transport.h"

namespace treaty::net {

class HttpCallers final : public Transport {
public:
    HttpCallers(const Loop& loop, std::shared_ptr<Listener> listener,
                HttpContent content = HttpContent::bodies);

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return !fault_.empty(); }
    bool has_end() const override { return false; }  // another caller may always come
    bool flush() override { return true; }           // the server sends what it keeps
    std::size_t unsent() const override { return server_.unsent(); }
    std::string obstacle(std::size_t bytes) const override;
    bool whole_messages() const override { return true; }
    bool owes() const override { return !open_.empty(); }
    void answer_open_requests() override;
    void refuse(std::string_view why) override;
    std::string fault() const override { return fault_; }
    void await_events(Await) override {}  // the server does

private:
    struct Open {
        std::uint64_t connection;
        Responder responder;
    };

    HttpContent content_;
    std::deque<std::pair<std::string, Open>> came_;  // bodies that receive() has not given yet
    std::deque<Open> open_;                          // that wait for an answer, the oldest first
    std::string body_, fault_;
    Server server_;  // last: it calls back into the others
};

}  // namespace treaty::net
