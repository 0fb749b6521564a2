// A server with real clients over loopback, both on one loop: good ones, slow ones, wrong ones, many.
#include "net/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "net/websocket.h"

namespace treaty::net {
namespace {

using namespace std::chrono_literals;

class Serving : public ::testing::TestWithParam<bool> {  // encrypted or not
protected:
    void SetUp() override { ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR); }

    void serve(Server::Handler handler, ServerOptions options = {}) {
        Address address;
        address.kind = AddressKind::tcp;
        address.encrypted = GetParam();
        server_ = *Server::open(loop_, address, std::move(options), std::move(handler));
        EXPECT_EQ(server_->address().host, "127.0.0.1");
    }

    struct Client {
        std::unique_ptr<Transport> transport;
        std::string got;
        bool reads = true;
    };
    // Stays where it is: what happens is remembered with it.
    Client& connect(const char* layer = "", bool wait = true) {
        std::string scheme = *layer ? (GetParam() ? "wss" : "ws") : (GetParam() ? "tls" : "tcp");
        auto address = parse_address(fmt::format("{}://127.0.0.1:{}", scheme, server_->address().port));
        Client* one = clients_.emplace_back(std::make_unique<Client>()).get();
        one->transport = *reach(loop_, *address);
        EXPECT_TRUE(until([&] { return !wait || !one->transport->opening(); }));
        EXPECT_EQ(one->transport->fault(), "");
        return *one;
    }
    Client& websocket() { return connect("websocket"); }

    // Waits for events, and lets all clients do what they can, until `done`; false after half a minute.
    template <class Done>
    bool until(Done done) {
        for (Time end = Clock::now() + 30s; Clock::now() < end;) {
            for (auto& one : clients_) {
                if (!one->transport) continue;
                one->transport->flush();
                while (one->reads) {
                    auto piece = receive_also_opened(*one->transport);
                    if (!piece) break;
                    one->got += *piece;
                }
                one->transport->await_events(one->reads ? Transport::Await::all
                                                        : Transport::Await::all_but_input);
            }
            if (done()) return true;
            loop_.wait(end);
        }
        return false;
    }
    bool closed(const Client& one) { return one.transport->closed(); }
    // Sends it and waits for the whole answer, whose connection ends with it.
    std::string ask(const std::string& request) {
        Client& one = connect();
        one.transport->send(request);
        EXPECT_TRUE(until([&] { return closed(one); })) << one.got;
        return one.got;
    }

    static void echo(const Request& request, const Responder& responder) {
        responder.reply({200,
                         fmt::format("{} {} {}", request.method, request.target, request.body),
                         {{"Content-Type", "text/plain"}}});
    }

    Loop loop_;
    std::unique_ptr<Server> server_;
    std::vector<std::unique_ptr<Client>> clients_;
};

INSTANTIATE_TEST_SUITE_P(Each, Serving, ::testing::Bool());

TEST_P(Serving, ConnectionsAreKeptAndAnswersAreInOrder) {
    serve(echo);
    Client& one = connect();
    one.transport->send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return one.got.ends_with("GET /a "); })) << one.got;
    EXPECT_EQ(one.got, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\nGET /a ");
    one.got.clear();
    // Two at once, one of them in chunks, and the last one wants the connection closed.
    one.transport->send(
        "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        "HEAD /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(until([&] { return closed(one); }));
    EXPECT_NE(one.got.find("POST /b abcde"), std::string::npos) << one.got;
    EXPECT_TRUE(one.got.ends_with("Content-Length: 8\r\nConnection: close\r\n\r\n")) << one.got;
    ASSERT_TRUE(until([&] { return server_->connections() == 0; }));
}

TEST_P(Serving, TheHandlerSeesHostOriginAndFields) {
    std::optional<Request> seen;
    serve([&](Request request, const Responder& responder) {
        responder.reply({204, "not sent", {}, true});
        seen = std::move(request);
    });
    std::string got = ask("GET /x?y=1 HTTP/1.1\r\nhost: a:1\r\nORIGIN: http://a:1\r\nX-Some: thing\r\n\r\n");
    EXPECT_EQ(got, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->path(), "/x");
    EXPECT_EQ(seen->host(), "a:1");
    EXPECT_EQ(seen->field("x-some"), "thing");
    EXPECT_EQ(seen->field("none"), "");
    EXPECT_TRUE(same_origin(*seen));
    seen->fields = {{"Host", "127.0.0.1:80"}, {"Origin", "http://evil.example"}};
    EXPECT_FALSE(same_origin(*seen));
    seen->fields = {{"Host", "127.0.0.1:80"}, {"Origin", "null"}};
    EXPECT_FALSE(same_origin(*seen));
    seen->fields = {{"Host", "127.0.0.1:80"}};
    EXPECT_TRUE(same_origin(*seen));
}

TEST_P(Serving, AnswersMayComeLaterFromAnotherThread) {
    std::vector<std::thread> threads;
    serve([&](Request request, Responder responder) {
        threads.emplace_back([loop = loop_, responder, target = request.target]() mutable {
            loop.post([responder = std::move(responder), target] {
                responder.reply({200, target, {}, true});
            });
        });
    });
    Client &one = connect(), &other = connect();
    one.transport->send("GET /one HTTP/1.1\r\nHost: x\r\n\r\n");
    other.transport->send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(until([&] { return closed(one) && closed(other); }));
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(one.got.ends_with("\r\n\r\n/one")) << one.got;
    EXPECT_TRUE(other.got.ends_with("\r\n\r\n/other")) << other.got;
}

// Answers that are given in another order are sent in that of the requests; the first answer to one counts.
TEST_P(Serving, RequestsMayBeTakenBeforeTheFirstIsAnswered) {
    std::vector<Responder> open;
    ServerOptions options;
    options.open_requests = 3;
    serve([&](const Request&, Responder responder) { open.push_back(std::move(responder)); }, options);
    Client& one = connect();
    for (int i = 0; i < 4; ++i) one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.size() == 3; }));
    open[2].reply({200, "third"});
    open[1].reply({200, "second"});
    open[1].reply({200, "again"});
    open[0].reply({200, "first"});
    ASSERT_TRUE(until([&] { return open.size() == 4 && one.got.find("third") != std::string::npos; }));
    EXPECT_LT(one.got.find("first"), one.got.find("second"));
    EXPECT_LT(one.got.find("second"), one.got.find("third"));
    EXPECT_EQ(one.got.find("again"), std::string::npos);
    // One that is never answered is a fault of the server.
    one.got.clear();
    open.clear();
    ASSERT_TRUE(until([&] { return closed(one); }));
    EXPECT_TRUE(one.got.starts_with("HTTP/1.1 500 ")) << one.got;
}

TEST_P(Serving, AnswersInChunks) {
    std::optional<Responder> open;
    serve([&](const Request&, Responder responder) { open = std::move(responder); });
    Client& one = connect();
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.has_value(); }));
    open->begin({200, "begin"});
    ASSERT_TRUE(until([&] { return one.got.ends_with("5\r\nbegin\r\n"); })) << one.got;
    EXPECT_NE(one.got.find("Transfer-Encoding: chunked"), std::string::npos);
    EXPECT_TRUE(open->write("more"));
    EXPECT_TRUE(open->write(""));
    open->end();
    EXPECT_FALSE(open->write("too late"));
    ASSERT_TRUE(until([&] { return one.got.ends_with("4\r\nmore\r\n0\r\n\r\n"); })) << one.got;
    // The connection is kept; one that goes away in the middle is noticed, and an answer that is cut short
    // has no end.
    open.reset();
    one.got.clear();
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.has_value(); }));
    open->begin({200, "half"});
    open.reset();
    ASSERT_TRUE(until([&] { return closed(one); }));
    EXPECT_TRUE(one.got.ends_with("4\r\nhalf\r\n")) << one.got;
    // A client of HTTP/1.0 gets the same without chunks.
    Client& old = connect();
    old.transport->send("GET / HTTP/1.0\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.has_value(); }));
    open->begin({200, "one "});
    open->write("two");
    open->end();
    ASSERT_TRUE(until([&] { return closed(old); }));
    EXPECT_TRUE(old.got.ends_with("\r\n\r\none two")) << old.got;
}

// A flood towards a client that does not read: the writer notices it, and continues when it is called back.
TEST_P(Serving, ASlowReaderHoldsBackTheWriter) {
    std::optional<Responder> open;
    std::size_t written = 0;
    const std::size_t all = 20'000'000;
    const std::string chunk(100'000, '~');
    bool held = false;
    auto go_on = [&] {
        while (written < all && open->unsent() < 500'000 && open->write(chunk)) written += chunk.size();
        held = held || written < all;
        if (written == all) open->end();
    };
    serve([&](const Request&, Responder responder) { open = std::move(responder); });
    Client& one = connect();
    one.reads = false;
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.has_value(); }));
    open->begin({200, ""}, go_on);
    go_on();
    EXPECT_TRUE(held);
    EXPECT_LT(written, all);
    one.reads = true;
    ASSERT_TRUE(until([&] { return closed(one); })) << written;
    EXPECT_EQ(written, all);
    EXPECT_EQ(static_cast<std::size_t>(std::count(one.got.begin(), one.got.end(), '~')), all);
}

// While a client does not read, nothing more is taken from it; when it reads, everything is answered.
TEST_P(Serving, ACallerThatDoesNotReadIsNotRead) {
    std::size_t asked = 0;
    serve([&](const Request&, const Responder& responder) {
        ++asked;
        responder.reply({200, std::string(300'000, 'x')});
    });
    Client &one = connect(), &other = connect();
    one.reads = false;
    for (int i = 0; i < 200; ++i) one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(until([&] { return server_->unsent() > 1'000'000; }));
    std::size_t before = asked;
    EXPECT_LT(before, 201u);
    EXPECT_LT(server_->unsent(), 3'000'000u);
    // Others are served meanwhile.
    other.transport->send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(until([&] { return closed(other); }));
    EXPECT_EQ(asked, before + 1);
    one.reads = true;
    ASSERT_TRUE(until([&] { return closed(one); }));
    EXPECT_EQ(asked, 202u);
    EXPECT_GT(one.got.size(), 201u * 300'000u);
}

TEST_P(Serving, AHalfClosedClientGetsItsAnswer) {
    std::optional<Responder> open;
    serve([&](const Request&, Responder responder) { open = std::move(responder); });
    Client& one = connect();
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    one.transport->finish();
    ASSERT_TRUE(until([&] { return open.has_value(); }));
    open->reply({200, "late"});
    ASSERT_TRUE(until([&] { return closed(one) && server_->connections() == 0; }));
    EXPECT_TRUE(one.got.ends_with("late")) << one.got;
    // In the middle of a request it is one that is malformed.
    Client& other = connect();
    other.transport->send("GET / HTTP/1.1\r\nHo");
    other.transport->finish();
    ASSERT_TRUE(until([&] { return closed(other) && server_->connections() == 0; }));
    EXPECT_TRUE(other.got.starts_with("HTTP/1.1 400 ")) << other.got;
}

TEST_P(Serving, WhatIsMalformedOrTooLongEndsItsConnectionOnly) {
    std::size_t faults = 0;
    ServerOptions options;
    options.longest_head = 1000;
    options.longest_body = 1000;
    options.malformed = [&](const std::string& fault) {
        ++faults;
        EXPECT_TRUE(fault.starts_with("HTTP: ")) << fault;
    };
    serve(echo, options);
    Client& good = connect();
    const std::map<std::string, unsigned> requests{
        {"noise\r\n\r\n", 400},
        {"GET / HTTP/9.9\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nbad header\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
        {std::string("\0\1\2\3\r\n\r\n", 8), 400},
        {"GET / HTTP/1.1\r\nA: " + std::string(2'000, 'a') + "\r\n\r\n", 431},
        {"GET /" + std::string(2'000, 'a'), 431},
        {"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n" + std::string(1001, 'b'), 413},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'b'), 413},
    };
    for (const auto& [request, status] : requests) {
        SCOPED_TRACE(request.substr(0, 80));
        std::string got = ask(request);
        EXPECT_TRUE(got.starts_with(fmt::format("HTTP/1.1 {} ", status))) << got.substr(0, 200);
    }
    EXPECT_EQ(faults, requests.size());
    good.transport->send("POST /fine HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" +
                         std::string(1000, 'b'));
    ASSERT_TRUE(until([&] { return good.got.ends_with("bbb"); }));
}

// A client that still sends when it is refused must not lose the answer to a reset.
TEST_P(Serving, ARefusedClientThatGoesOnSendingGetsTheAnswer) {
    ServerOptions options;
    options.longest_body = 1000;
    serve(echo, options);
    std::string got = ask("POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'b'));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 413 ")) << got;
}

// The limits are short, so a busy machine may exceed them before a client has been heard at all, in its
// handshake for example. Then another one is tried.
constexpr int most_clients = 100;

TEST_P(Serving, ARequestThatIsTooSlowIsRefused) {
    ServerOptions options;
    options.request_time = options.linger_time = 40ms;
    serve(echo, options);
    std::string got;
    for (int tried = 0; got.empty() && tried < most_clients; ++tried) {
        Client& half = connect("", false);
        half.transport->send("GET / HTTP/1.1\r\nHost");
        ASSERT_TRUE(until([&] { return closed(half) && server_->connections() == 0; }));
        got = half.got;
    }
    EXPECT_TRUE(got.starts_with("HTTP/1.1 408 ")) << got;
}

TEST_P(Serving, ClientsThatDoNothingAreDropped) {
    ServerOptions options;
    options.idle_time = options.linger_time = 40ms;
    bool answered = false;
    serve(
        [&](const Request&, const Responder& responder) {
            answered = true;
            clients_.back()->reads = false;
            // NOLINTNEXTLINE(bugprone-string-constructor): as much as that
            responder.reply({200, std::string(30'000'000, 'x')});
        },
        options);
    Client& silent = connect();
    ASSERT_TRUE(until([&] { return closed(silent) && server_->connections() == 0; }));
    EXPECT_EQ(silent.got, "");
    for (int tried = 0; !answered && tried < most_clients; ++tried) {
        Client& deaf = connect();
        deaf.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        ASSERT_TRUE(until([&] { return answered || closed(deaf); }));
        ASSERT_TRUE(until([&] { return server_->connections() == 0; }));
        EXPECT_LT(deaf.got.size(), 30'000'000u);
    }
    EXPECT_TRUE(answered);
}

TEST_P(Serving, ManyAtOnce) {
    std::size_t asked = 0;
    serve([&](const Request& request, const Responder& responder) {
        ++asked;
        echo(request, responder);
    });
    for (int i = 0; i < 200; ++i) connect();
    ASSERT_TRUE(until([&] { return server_->connections() == 200; }));
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < clients_.size(); ++i) {
            clients_[i]->got.clear();
            clients_[i]->transport->send(fmt::format("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", i));
        }
        ASSERT_TRUE(until([&] {
            for (std::size_t i = 0; i < clients_.size(); ++i)
                if (!clients_[i]->got.ends_with(fmt::format("\r\n\r\nGET /{} ", i))) return false;
            return true;
        }));
    }
    EXPECT_EQ(asked, 600u);
    clients_.clear();
    EXPECT_TRUE(until([&] { return server_->connections() == 0; }));
}

// Where there is no room, the one that has been idle longest goes; where none is idle, others wait.
TEST_P(Serving, TooManyMakeRoomOrWait) {
    std::vector<Responder> open;
    ServerOptions options;
    options.most_connections = 2;
    serve([&](const Request&, Responder responder) { open.push_back(std::move(responder)); }, options);
    Client &idle = connect(), &busy = connect();
    for (Client* one : {&busy, &idle}) one->transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.size() == 2; }));
    Client& waits = connect("", false);
    waits.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    // One more request of somebody who is there comes through, so what waits has had its chance.
    open[0].reply({200, "first"});
    ASSERT_TRUE(until([&] { return open.size() == 3; }));
    EXPECT_EQ(server_->connections(), 2u);
    open[2].reply({200, "third", {}, true});
    ASSERT_TRUE(until([&] { return closed(waits); }));
    EXPECT_TRUE(waits.got.ends_with("third")) << waits.got;
}

TEST_P(Serving, ItStopsWhenItIsAskedTo) {
    base::StopSource stop;
    std::optional<Responder> open;
    ServerOptions options;
    options.linger_time = 50ms;  // nobody lets the clients close while the server runs
    serve([&](const Request&, Responder responder) { open = std::move(responder); }, options);
    Client &idle = connect(), &busy = connect();
    std::uint16_t port = server_->address().port;
    busy.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return open.has_value() && !idle.transport->opening(); }));
    loop_.post([&] {
        stop.request();
        // Its answer is due, and given after everything else was stopped.
        loop_.post([&] { loop_.post([&] { open->reply({200, "due"}); }); });
    });
    server_->run(base::Deadline().with(stop.token()), 5s);
    EXPECT_EQ(server_->connections(), 0u);
    EXPECT_TRUE(until([&] { return closed(idle) && closed(busy); }));
    EXPECT_TRUE(busy.got.ends_with("Connection: close\r\n\r\ndue")) << busy.got;
    EXPECT_EQ(idle.got, "");
    server_.reset();
    EXPECT_FALSE(reach(loop_, *parse_address(fmt::format("tcp://127.0.0.1:{}", port))));
}

TEST_P(Serving, SocketsAreClosedOnExec) {
    serve(echo);
    Client& one = connect();
    one.transport->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(until([&] { return one.got.ends_with("GET / "); }));
    int looked_at = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;  // the one that reads the folder
        std::string what = std::filesystem::read_symlink(entry, gone).string();
        if (!what.starts_with("socket:") && !what.starts_with("anon_inode:")) continue;
        ++looked_at;
        EXPECT_TRUE(fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC) << entry << ' ' << what;
    }
    EXPECT_GE(looked_at, 6);  // three sockets, and those of the loop
}

class WebSockets : public Serving {
protected:
    // Answers each message with itself.
    void serve_echo(ServerOptions options = {}) {
        serve(
            [this](const Request& request, const Responder& responder) {
                if (!request.wants_websocket()) return responder.reply({426, "WebSocket only"});
                Channel::Handlers handlers;
                handlers.message = [this](Channel& channel, std::string_view message) {
                    sent_ += channel.send(message);
                    ++messages_;
                };
                handlers.drained = [this](Channel&) { ++drained_; };
                handlers.closed = [this](Channel&) { ++closed_; };
                channel_ = responder.accept(std::move(handlers));
                EXPECT_TRUE(channel_);
            },
            std::move(options));
    }

    std::shared_ptr<Channel> channel_;
    std::size_t messages_ = 0, sent_ = 0, drained_ = 0, closed_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Each, WebSockets, ::testing::Bool());

TEST_P(WebSockets, MessagesGoBothWays) {
    serve_echo();
    Client& one = websocket();
    std::string large(300'000, 'm'), binary("\xff\0\x80", 3);
    for (const std::string& message :
         {std::string("hello"), large, binary, std::string("gr\xc3\xbc\xc3\x9f")}) {
        one.got.clear();
        one.transport->send(message);
        ASSERT_TRUE(until([&] { return one.got.size() >= message.size(); })) << one.got.size();
        EXPECT_TRUE(one.got == message);
    }
    one.got.clear();
    EXPECT_TRUE(channel_->send("unasked"));
    ASSERT_TRUE(until([&] { return one.got == "unasked"; }));
    one.transport->finish();
    ASSERT_TRUE(until([&] { return closed_ == 1 && closed(one) && server_->connections() == 0; }));
    EXPECT_FALSE(channel_->open());
    EXPECT_FALSE(channel_->send("too late"));
    EXPECT_EQ(one.transport->fault(), "");
}

TEST_P(WebSockets, TheServerMayClose) {
    serve_echo();
    Client& one = websocket();
    channel_->send("last");
    channel_->close();
    ASSERT_TRUE(until([&] { return closed(one) && closed_ == 1; }));
    EXPECT_EQ(one.got, "last");
    EXPECT_EQ(one.transport->fault(), "");
    Client& other = websocket();
    server_->stop();
    ASSERT_TRUE(until([&] { return closed(other) && closed_ == 2 && server_->connections() == 0; }));
}

// A client of our own making, that writes frames as it likes.
class RawWebSocket : public WebSockets {
protected:
    Client& open_raw() {
        Client& one = connect();
        one.transport->send(
            "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" +
            frame(0x81, "early"));
        EXPECT_TRUE(until([&] { return one.got.ends_with(std::string("\x81\x05") + "early"); })) << one.got;
        EXPECT_TRUE(one.got.starts_with("HTTP/1.1 101 ")) << one.got;
        EXPECT_NE(one.got.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos) << one.got;
        one.got.clear();
        return one;
    }
    // As clients send it: masked, here with zeros. Up to 125 bytes.
    static std::string frame(int first, std::string_view data) {
        return fmt::format("{}{}{}{}", static_cast<char>(first), static_cast<char>(0x80 | data.size()),
                           std::string(4, '\0'), data);
    }
};

INSTANTIATE_TEST_SUITE_P(Each, RawWebSocket, ::testing::Bool());

TEST_P(RawWebSocket, PingsFragmentsAndCloses) {
    serve_echo();
    Client& one = open_raw();
    one.transport->send(frame(0x89, "there?"));
    ASSERT_TRUE(until([&] { return one.got == std::string("\x8a\x06") + "there?"; }));
    one.got.clear();
    // A message in three parts, a ping between them, each byte alone.
    for (char c : frame(0x01, "frag") + frame(0x00, "men") + frame(0x89, "p") + frame(0x80, "ts")) {
        one.transport->send({&c, 1});
        until([&] { return !one.transport->pending(); });
    }
    ASSERT_TRUE(until([&] { return one.got.ends_with("fragments"); })) << one.got;
    EXPECT_EQ(one.got, std::string("\x8a\x01") + "p" + "\x81\x09" + "fragments");
    one.got.clear();
    one.transport->send(frame(0x88, "\x03\xe8"));
    ASSERT_TRUE(until([&] { return closed(one) && closed_ == 1; }));
    EXPECT_TRUE(one.got.starts_with("\x88\x02\x03\xe8")) << one.got;
}

TEST_P(RawWebSocket, WhatIsAgainstTheRulesEndsIt) {
    ServerOptions options;
    options.longest_message = 100;
    serve_echo(options);
    std::size_t ended = 0;
    // A reserved opcode, a frame that is not masked, a continuation of nothing, a text that is not UTF-8, one
    // too long.
    for (const std::string& wrong : {frame(0x83, "x"), std::string("\x81\x01x"), frame(0x80, "x"),
                                     frame(0x81, "\xff\xfe"), frame(0x81, std::string(120, 'x'))}) {
        Client& one = open_raw();
        one.transport->send(wrong);
        ASSERT_TRUE(until([&] { return closed(one) && closed_ == ended + 1; }));
        ++ended;
        EXPECT_EQ(one.got.substr(0, 1), "\x88");
    }
    EXPECT_EQ(messages_, ended);  // the early ones
}

TEST_P(RawWebSocket, HandshakesThatAreIncompleteAreRefused) {
    serve_echo();
    std::string got =
        ask("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
            "upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n");
    EXPECT_TRUE(got.starts_with("HTTP/1.1 400 ")) << got;
    got = ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(got.starts_with("HTTP/1.1 426 ")) << got;
    got = ask("POST / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n");
    EXPECT_TRUE(got.starts_with("HTTP/1.1 426 ")) << got;
}

// A client that sends without end and does not read: it is not read either, until it reads.
TEST_P(WebSockets, AFloodIsHeldBack) {
    serve_echo();
    Client &one = websocket(), &other = websocket();
    one.reads = false;
    const std::size_t count = 3000;
    const std::string message(10'000, 'f');
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(one.transport->send(message));
    // Nothing goes on: the client has more to send, and the server does not take it.
    ASSERT_TRUE(until([&] { return server_->unsent() > 1'000'000 && one.transport->pending(); }));
    EXPECT_LT(server_->unsent(), 2'000'000u);
    EXPECT_LT(messages_, count);
    other.transport->send("still served");
    ASSERT_TRUE(until([&] { return other.got == "still served"; }));
    one.reads = true;
    ASSERT_TRUE(until([&] { return one.got.size() == count * message.size(); })) << one.got.size();
    EXPECT_EQ(messages_, count + 1);
    EXPECT_EQ(sent_, messages_);
    EXPECT_GT(drained_, 0u);
}

// What is sent to one that does not read is kept up to a limit; then the sender gets a fault.
TEST_P(WebSockets, ASenderIsToldWhenTheClientDoesNotRead) {
    ServerOptions options;
    options.most_unsent = 2'000'000;
    serve_echo(options);
    Client& one = websocket();
    one.reads = false;
    std::size_t sent = 0;
    while (channel_->send(std::string(100'000, 's')) && sent < 1000) ++sent;
    ASSERT_LT(sent, 1000u);
    EXPECT_LE(channel_->unsent(), 2'000'000u);
    EXPECT_TRUE(channel_->open());
    one.reads = true;
    ASSERT_TRUE(until([&] { return one.got.size() == sent * 100'000 && drained_ == 1; }))
        << one.got.size() << ' ' << sent << ' ' << drained_;
    EXPECT_TRUE(channel_->send("again"));
}

// One that does not answer pings goes; one that does stays, however long it says nothing.
TEST_P(WebSockets, SilentOnesAreAskedWhetherTheyAreThere) {
    ServerOptions options;
    options.idle_time = 60ms;
    serve_echo(options);
    Client &gone = websocket(), &there = websocket();
    gone.reads = false;
    ASSERT_TRUE(until([&] { return server_->connections() == 1; }));
    EXPECT_EQ(closed_, 1u);
    Time later = Clock::now() + 200ms;
    Loop clock;
    while (Clock::now() < later) {
        until([] { return true; });
        loop_.wait(later);
    }
    EXPECT_FALSE(closed(there));
    EXPECT_EQ(server_->connections(), 1u);
}

}  // namespace
}  // namespace treaty::net
