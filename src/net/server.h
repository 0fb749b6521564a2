// An HTTP/1.1 and WebSocket server for many clients, on one loop.
//
// Everything happens inside the loop's wait(): the handler is called with each request, in the order of each
// connection, and answers at once or later, through the Responder it was given. A connection is kept for the
// next request unless one side wants it closed. Replies go out in the order of the requests, whatever the
// order in which they are given. Nothing waits for a slow client: what it does not read is kept, nothing more
// is read from it meanwhile, and it is dropped after a time. Malformed requests, requests that are too long
// and clients that are too slow to send one are answered with 400, 413, 431 or 408, and end their own
// connection only.
//
// One thread, that of the loop; other threads hand over their results with Loop::post(). Parsing and
// WebSocket frames are Boost.Beast's. What a client may ask for is the handler's matter; a handler that
// serves a browser should look at same_origin(), since any page can make a browser ask a server of this
// machine. A handler must not destroy its server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "net/address.h"
#include "net/open.h"

namespace treaty::net {

struct Field {
    std::string name, value;
};

struct Request {
    std::string method, target, body;
    std::vector<Field> fields;
    std::uint64_t connection = 0;  // equal for the requests of one connection

    // The value of the first field of this name, in any case; empty if the request does not have it.
    std::string_view field(std::string_view name) const;
    std::string_view path() const;  // the target up to a question mark
    std::string_view host() const { return field("Host"); }
    std::string_view origin() const { return field("Origin"); }
    bool wants_websocket() const;
};

// Whether it comes from a page of this server, or from a program that is not a browser.
bool same_origin(const Request& request);

struct Reply {
    unsigned status = 200;
    std::string body = {};
    std::vector<Field> fields = {};  // but not those about the length and the connection
    bool close = false;              // the connection, after it
};

// A WebSocket connection to a client. It lives until it is closed, however many hold it.
class Channel {
public:
    struct Handlers {
        std::function<void(Channel&, std::string_view message)> message;
        std::function<void(Channel&)> drained;  // all that was sent is out; may be empty
        std::function<void(Channel&)> closed;   // the last call; may be empty
    };
    virtual ~Channel() = default;
    // Text if it is valid UTF-8. False, and nothing is sent, if it is closed or the client has not read
    // ServerOptions::most_unsent bytes: then drained() tells when to go on.
    virtual bool send(std::string_view message) = 0;
    virtual std::size_t unsent() const = 0;
    virtual bool open() const = 0;
    virtual void close() = 0;  // after what was sent
};

// Answers one request. Copies answer the same one; the first answer counts. If all are gone and none has
// answered, the server answers 500. What is sent to a client that is gone is dropped.
class Responder {
public:
    void reply(Reply reply) const;
    // In chunks, of unknown length: the head, any number of chunks, the end. `body` is the first chunk.
    // `drained` is called whenever the client has taken all that was written so far.
    void begin(Reply head, std::function<void()> drained = nullptr) const;
    bool write(std::string_view chunk) const;  // false if the client is gone
    void end() const;
    std::size_t unsent() const;  // of what was written
    bool gone() const;           // the client no longer reads
    // Makes a WebSocket of the connection; null if the request does not ask for one, or the client is gone.
    // protocol: one of those that the client offers, or none.
    std::shared_ptr<Channel> accept(Channel::Handlers handlers, std::string protocol = {}) const;

private:
    friend class Connection;
    struct Promise;
    explicit Responder(std::shared_ptr<Promise> promise) : promise_(std::move(promise)) {}
    std::shared_ptr<Promise> promise_;
};

struct ServerOptions {
    std::size_t most_connections =
        1000;  // at more, the one that has been idle longest goes; if none is, others wait
    std::size_t open_requests =
        1;  // of a connection that are given to the handler before the first is answered
    std::size_t longest_head = std::size_t{32} << 10;
    std::uint64_t longest_body = std::uint64_t{64} << 20;
    std::size_t longest_message = std::size_t{64} << 20;  // of a WebSocket
    // Nothing is read from a client that has not read so much, and no more than the second is kept for it.
    std::size_t enough_unsent = std::size_t{1} << 20, most_unsent = std::size_t{16} << 20;
    // 0: no limit. For a request to come; between requests, or until a client reads on; for the client to
    // close after us.
    std::chrono::milliseconds request_time{30'000}, idle_time{120'000}, linger_time{2'000};
    // Called with what a client did against the rules of HTTP, after it was answered; may be empty.
    std::function<void(const std::string& fault)> malformed;
};

class Server {
public:
    using Handler = std::function<void(Request request, Responder responder)>;

    // A fault if the address is not free or a certificate cannot be used. The host of an address that has
    // none is 127.0.0.1; encrypted if the address says so.
    static base::Result<std::unique_ptr<Server>> open(const Loop& loop, Address address,
                                                      ServerOptions options, Handler handler);
    Server(const Loop& loop, std::shared_ptr<Listener> listener, ServerOptions options, Handler handler);
    ~Server();  // closes everything at once, without calling handlers

    const Address& address() const;
    std::size_t connections() const;
    std::size_t unsent() const;  // to all clients

    // Each connection that is there ends after the answers that are due, WebSockets with "going away"; new
    // ones are served.
    void close_connections();
    // The same, and accepts no more connections.
    void stop();
    // Serves until the deadline passes or asks to stop; then stops, and gives clients `grace` to take what is
    // due.
    void run(const base::Deadline& deadline, std::chrono::milliseconds grace = std::chrono::seconds(2));

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace treaty::net
