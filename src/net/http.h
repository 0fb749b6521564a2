// Messages as HTTP/1.1 bodies; parsing is Boost.Beast's.
//
// The client posts each message to one path; what the reply's body says, if anything, is what the component
// sends. A server that closes after a reply is connected to again for the next message. A reply of status 400
// or more is a fault. The server takes the body of each request, on whatever connection, as a message; what
// is sent next answers the oldest request that is still open; settle() answers the open ones with nothing,
// refuse() the one that came last with 400 and the reason. A reply that a caller does not read at once is
// kept and sent as it reads. A caller that does not speak HTTP is answered 400, and ends it with a fault,
// unless its manners are forgiving.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>

#include "base/descriptor.h"
#include "net/transport.h"

namespace treaty::net {

class HttpClient final : public Transport {
public:
    using Connect = std::function<std::unique_ptr<Transport>()>;  // null: it cannot be reached

    HttpClient(std::unique_ptr<Transport> first, Connect again, std::string host, std::string path);
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
    int input() const override { return below_->closed() ? -1 : below_->input(); }
    int output() const override { return below_->output(); }

private:
    struct Parser;
    bool take_reply();

    std::unique_ptr<Transport> below_;
    Connect again_;
    std::string host_, path_;
    std::unique_ptr<Parser> parser_;
    std::string waiting_, body_, fault_;
    std::size_t asked_ = 0;  // requests without a reply yet
    bool finished_ = false, closed_ = false, broken_off_ = false;
};

// How a server treats its callers.
struct HttpManners {
    std::string content_type = {};  // of its answers; empty: not stated
    bool one_request =
        false;  // a connection is closed after its answer; an idle one makes room for a new one
    std::size_t most_callers = 1000;
    bool forgiving =
        false;  // a caller that does not speak HTTP is rejected; that is not a fault of the others
};

class HttpServer final : public Transport {
public:
    using Wrap =
        std::function<std::unique_ptr<Transport>(base::Descriptor)>;  // what speaks over an accepted socket

    // The listener must outlive it.
    HttpServer(const base::Descriptor& listener, Wrap wrap, HttpManners manners = {});
    ~HttpServer() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return !fault_.empty(); }
    bool has_end() const override { return false; }  // another caller may always come
    bool flush() override;
    std::size_t unsent() const override;
    std::string obstacle(std::size_t bytes) const override;
    bool whole_messages() const override { return true; }
    bool owes() const override { return !open_.empty(); }
    void settle() override;
    void refuse(std::string_view why) override;
    std::string fault() const override { return fault_; }
    int input() const override { return group_.get(); }
    int output() const override { return -1; }  // input() tells that, too

private:
    struct Caller;
    void accept_all();
    bool take_request(Caller& caller);
    bool answer(Caller& caller, std::string_view status, std::string_view body);
    void watch(Caller& caller);
    bool has_open(const Caller& caller) const;
    void make_room();

    const base::Descriptor& listener_;
    Wrap wrap_;
    HttpManners manners_;
    base::Descriptor
        group_;  // readable when any connection, or the listener, is, or takes more of what is kept
    std::list<Caller> callers_;
    std::deque<Caller*> open_;  // of the requests that wait for an answer, the oldest first
    std::string body_, fault_;
};

}  // namespace treaty::net
