// Every kind of transport, both ends in this process: what is sent arrives, in order and whole, and ends are
// seen.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <random>

#include "net/stream.h"
#include "net/testing/transports.h"

namespace treaty::net {
namespace {

using namespace std::chrono_literals;

using testing::Ends;
using testing::Transports;
using testing::work;

// Those with an end that the other side sees; datagrams have none, and callers of HTTP come and go.
class Connections : public Transports {};

TEST_P(Transports, CarryQuestionsAndAnswers) {
    open_both();
    std::mt19937_64 random(7);
    for (int round = 0; round < 20; ++round) {
        std::string question(1 + random() % (GetParam() == "udp" ? 1000 : 20'000), 'a'),
            answer(1 + random() % 1000, 'b');
        for (char& c : question) c = static_cast<char>(random());
        ASSERT_TRUE(ends_.near->send(question));
        std::string near_got, far_got;
        ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return far_got.size() >= question.size(); }));
        ASSERT_EQ(far_got, question);
        ASSERT_TRUE(ends_.far->send(answer));
        ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return near_got.size() >= answer.size(); }));
        ASSERT_EQ(near_got, answer);
    }
}

// Far more than the system takes at once, both ways, and nobody does more than wait as a session does: what
// is kept goes out as the other side reads.
TEST_P(Transports, LargeMessagesArriveWhole) {
    if (GetParam() == "udp") return;  // a datagram is never large
    open_both();
    std::array<Transport*, 2> both{ends_.near.get(), ends_.far.get()};
    std::string near_got, far_got;
    auto until = [&](auto done) {
        for (Time end = Clock::now() + 60s; !done() && Clock::now() < end;) {
            for (Transport* one : both) one->await_events();
            ends_.near_loop.wait(end);
            for (Transport* one : both) one->flush();
            while (auto piece = ends_.near->receive()) near_got += *piece;
            while (auto piece = ends_.far->receive()) far_got += *piece;
        }
        return done();
    };
    std::mt19937_64 random(5);
    for (std::size_t size : {std::size_t{5} << 20, std::size_t{1}, std::size_t{9} << 20}) {
        SCOPED_TRACE(size);
        std::string question(size, 'q'), answer(size, 'a');
        for (std::size_t i = 0; i < size; i += 997) question[i] = answer[i] = static_cast<char>(random());
        near_got.clear();
        far_got.clear();
        ASSERT_TRUE(ends_.near->send(question));
        ASSERT_TRUE(until([&] { return far_got.size() >= size; })) << far_got.size();
        ASSERT_TRUE(far_got == question);
        ASSERT_TRUE(ends_.far->send(answer));
        ASSERT_TRUE(until([&] { return near_got.size() >= size; })) << near_got.size();
        ASSERT_TRUE(near_got == answer);
        EXPECT_FALSE(ends_.near->pending() || ends_.far->pending());
    }
}

TEST(Datagrams, WhatIsTooLongIsNobodysFault) {
    ClaimedPort port;
    Ends ends;
    auto address = parse_address("udp-listen://127.0.0.1:" + std::to_string(port.number()));
    auto listener = *Listener::open(ends.far_loop, *address);
    ends.far = await_caller(listener, Clock::now() + 10s);
    ends.near = *reach(ends.near_loop, *parse_address("udp://127.0.0.1:" + std::to_string(port.number())));
    ASSERT_TRUE(ends.near && ends.far);
    EXPECT_NE(ends.near->obstacle(65'508), "");
    EXPECT_EQ(ends.near->obstacle(65'507), "");
    EXPECT_TRUE(ends.near->send(std::string(65'507, 'x')));
    std::string near_got, far_got;
    EXPECT_TRUE(work(ends, near_got, far_got, [&] { return far_got.size() == 65'507; }));
}

// A question that is settled gets no answer that one could see, and the next one is answered as ever.
TEST_P(Transports, AQuestionMayStayWithoutAnAnswer) {
    open_both();
    std::string near_got, far_got;
    ends_.near->send("one");
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return far_got == "one"; }));
    EXPECT_EQ(ends_.far->owes(), GetParam().starts_with("http"));
    ends_.far->answer_open_requests();
    EXPECT_FALSE(ends_.far->owes());
    ends_.near->send("two");
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return far_got == "onetwo"; }));
    ends_.far->send("2");
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return near_got == "2"; }));
}

TEST_P(Connections, TheEndIsSeen) {
    open_both();
    std::string near_got, far_got;
    ends_.near->send("the last message");
    ends_.near->finish();
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return ends_.far->closed(); }));
    EXPECT_EQ(far_got, "the last message");
    EXPECT_EQ(ends_.far->fault(), "");
}

// One that takes a piece now and then does not take more from the connection than that: what it has not taken
// stays with the sender, encrypted or not.
TEST_P(Connections, ASlowReaderDoesNotFillItsMemory) {
    if (GetParam().starts_with("ws")) return;  // a message comes whole
    open_both();
    constexpr std::size_t all = std::size_t{32} << 20, buffers_of_the_system = std::size_t{16} << 20;
    ends_.near->send(std::string(all, 'q'));
    std::size_t got = 0;
    int pieces = 0;
    for (Time until = Clock::now() + 30s; pieces < 300 && Clock::now() < until;) {
        for (Transport* one : {ends_.near.get(), ends_.far.get()}) one->await_events();
        ends_.near_loop.wait(until);
        ends_.near->flush();
        if (auto piece = ends_.far->receive()) {
            ++pieces;
            got += std::min(piece->size(), std::size_t{1} << 16);
        }
    }
    EXPECT_EQ(pieces, 300);
    EXPECT_GE(ends_.near->unsent() + got + buffers_of_the_system, all);
}

TEST_P(Connections, TheOtherSideMayBreakOff) {
    open_both();
    std::string near_got, far_got;
    ends_.far.reset();
    EXPECT_TRUE(work(ends_, near_got, far_got, [&] { return ends_.near->closed(); }));
}

// Whatever the process does with the signal: here it would end it.
TEST_P(Connections, WritingToOneThatIsGoneIsNoSignal) {
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    open_both();
    ends_.far.reset();
    bool refused = false;
    for (int i = 0; i < 10'000 && !refused; ++i) refused = !ends_.near->send("more") || !ends_.near->flush();
    EXPECT_TRUE(refused);
}

// The same for pipes, which know no flag for it.
TEST(Pipes, WritingToOneThatIsGoneIsNoSignal) {
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    std::array<int, 2> forth{}, back{};
    ASSERT_EQ(pipe(forth.data()), 0);
    ASSERT_EQ(pipe(back.data()), 0);
    auto stream = over_pipes(Loop(), base::Descriptor(back[0]), base::Descriptor(forth[1]));
    EXPECT_TRUE(stream->send("one"));
    EXPECT_FALSE(stream->broken());
    close(forth[0]);
    close(back[1]);
    EXPECT_FALSE(stream->send("two"));
    EXPECT_TRUE(stream->broken());
    EXPECT_FALSE(stream->receive());
    EXPECT_TRUE(stream->closed());
}

INSTANTIATE_TEST_SUITE_P(Each, Transports,
                         ::testing::Values("tcp", "tls", "unix", "udp", "ws", "wss", "http", "https"));

INSTANTIATE_TEST_SUITE_P(Each, Connections, ::testing::Values("tcp", "tls", "unix", "ws", "wss"));

// Hostile bytes instead of an opening: a fault in words, no crash.
TEST(TransportFaults, NoiseInsteadOfAnOpening) {
    std::mt19937_64 random(11);
    for (const char* scheme : {"tls", "ws", "wss", "http"}) {
        SCOPED_TRACE(scheme);
        ClaimedPort port;
        std::string place = "://127.0.0.1:" + std::to_string(port.number());
        Loop loop;
        auto listener = *Listener::open(loop, *parse_address("tcp-listen" + place));
        for (int round = 0; round < 20; ++round) {
            Ends ends{nullptr, nullptr, loop, loop};
            ends.near = *reach(loop, *parse_address(scheme + place));
            ends.far = await_caller(listener, Clock::now() + 10s);
            ASSERT_TRUE(ends.near && ends.far);
            if (std::string(scheme) == "http") ends.near->send("question");
            std::string noise(200 + random() % 500, 'x');
            for (char& c : noise) c = static_cast<char>(random());
            ends.far->send(noise);
            ends.far->finish();
            std::string near_got, far_got;
            EXPECT_TRUE(work(ends, near_got, far_got, [&] { return ends.near->closed(); }));
            EXPECT_NE(ends.near->fault(), "");
            EXPECT_EQ(near_got, "");
        }
    }
}

// Also the other way round: a caller that does not speak HTTP gets an answer and is a fault, one that is
// refused learns why, and one that asks first whether it may continue learns that it may.
TEST(TransportFaults, CallersOfHttp) {
    for (const char* said :
         {"noise\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"}) {
        SCOPED_TRACE(said);
        ClaimedPort port;
        std::string place = "://127.0.0.1:" + std::to_string(port.number());
        Ends ends;
        auto listener = *Listener::open(ends.far_loop, *parse_address("http-listen" + place));
        ends.near = *reach(ends.near_loop, *parse_address("tcp" + place));
        ends.far = await_caller(listener, Clock::now() + 10s);
        ASSERT_TRUE(ends.near && ends.far);
        std::string near_got, far_got;
        ends.near->send(said);
        ASSERT_TRUE(
            work(ends, near_got, far_got, [&] { return near_got.find("\r\n\r\n") != std::string::npos; }));
        if (said[0] == 'n') {
            EXPECT_TRUE(near_got.starts_with("HTTP/1.1 400 ")) << near_got;
            EXPECT_TRUE(ends.far->closed());
            EXPECT_NE(ends.far->fault(), "");
            continue;
        }
        EXPECT_TRUE(near_got.starts_with("HTTP/1.1 100 ")) << near_got;
        ends.near->send("x");
        ASSERT_TRUE(work(ends, near_got, far_got, [&] { return far_got == "x"; }));
        ends.far->refuse("not now");
        EXPECT_FALSE(ends.far->owes());
        near_got.clear();
        ASSERT_TRUE(work(ends, near_got, far_got, [&] { return near_got.ends_with("not now"); }));
        EXPECT_TRUE(near_got.starts_with("HTTP/1.1 400 ")) << near_got;
        EXPECT_NE(ends.far->obstacle(1), "");
    }
}

// Whole HTTP messages, both ways: heads arrive as they were sent, a chunked body arrives with its length, and
// a server that closes is connected to again.
TEST(HttpMessages, RequestsAndRepliesAsTheyAre) {
    for (bool encrypted : {false, true}) {
        ClaimedPort port;
        std::string place = "://127.0.0.1:" + std::to_string(port.number());
        Ends ends;
        Address listens = *parse_address((encrypted ? "https-listen" : "http-listen") + place);
        Address connects = *parse_address((encrypted ? "https" : "http") + place);
        listens.http_messages = connects.http_messages = true;
        auto listener = *Listener::open(ends.far_loop, listens);
        ends.near = *reach(ends.near_loop, connects);
        ends.far = await_caller(listener, Clock::now() + 10s);
        std::string near_got, far_got;
        ASSERT_TRUE(work(ends, near_got, far_got, [&] { return !ends.near->opening(); }));
        for (int round = 0; round < 3; ++round) {
            near_got.clear();
            far_got.clear();
            std::string asked =
                "PUT /a%20b?c=d HTTP/1.1\r\nHost: x\r\nX-Id: 7\r\nContent-Length: 2\r\n\r\n{}";
            ASSERT_TRUE(ends.near->send(asked));
            ASSERT_TRUE(work(ends, near_got, far_got, [&] { return far_got.ends_with("{}"); }));
            EXPECT_EQ(far_got, asked);
            EXPECT_TRUE(ends.far->owes());
            ASSERT_TRUE(ends.far->send("HTTP/1.1 409 Conflict\r\nX-Why: so\r\nContent-Length: 3\r\n\r\nabc"));
            ASSERT_TRUE(work(ends, near_got, far_got, [&] { return near_got.ends_with("abc"); }));
            EXPECT_TRUE(near_got.starts_with("HTTP/1.1 409 Conflict\r\n")) << near_got;
            EXPECT_NE(near_got.find("X-Why: so\r\n"), std::string::npos) << near_got;
            EXPECT_EQ(ends.near->fault(), "");
        }
        EXPECT_FALSE(ends.far->send("not a reply"));
    }
}

TEST(HttpMessages, ServersMayCloseAndSendChunks) {
    ClaimedPort port;
    std::string place = "://127.0.0.1:" + std::to_string(port.number());
    Ends ends;
    Address connects = *parse_address("http" + place);
    connects.http_messages = true;
    auto listener = *Listener::open(ends.far_loop, *parse_address("tcp-listen" + place));
    ends.near = *reach(ends.near_loop, connects);
    for (std::string_view reply : {"HTTP/1.0 200 OK\r\n\r\n{}",
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                   "Connection: close\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
                                   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}) {
        std::string near_got, far_got;
        ASSERT_TRUE(ends.near->send("GET /x HTTP/1.1\r\n\r\n"));
        ends.far = await_caller(listener, Clock::now() + 10s);
        ASSERT_TRUE(ends.far);
        ASSERT_TRUE(work(ends, near_got, far_got, [&] { return far_got.ends_with("\r\n\r\n"); }));
        EXPECT_EQ(far_got, "GET /x HTTP/1.1\r\n\r\n");
        ends.far->send(reply);
        ends.far->finish();
        ASSERT_TRUE(work(ends, near_got, far_got, [&] { return near_got.ends_with("{}"); })) << near_got;
        EXPECT_NE(near_got.find("Content-Length: 2\r\n"), std::string::npos) << near_got;
        ends.far.reset();
    }
}

TEST(TransportFaults, OnlyTrustedCertificatesWhereTheyAreNamed) {
    ClaimedPort port;
    std::string place = "://127.0.0.1:" + std::to_string(port.number());
    Loop loop;
    auto listener = Listener::open(loop, *parse_address("tls-listen" + place));
    ASSERT_TRUE(listener) << listener.error();
    auto reached = reach(loop, *parse_address("tls" + place + "?ca=/etc/ssl/no-such-file"));
    ASSERT_FALSE(reached);
    EXPECT_NE(reached.error().find("no-such-file"), std::string::npos);
}

}  // namespace
}  // namespace treaty::net
