// A proxy in the middle, both others in this process: bytes pass untouched, ends are seen, faults stay with
// their connection.
#include "watch/proxy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>

#include "net/open.h"
#include "net/port.h"
#include "watch/metrics.h"

namespace treaty::watch {
namespace {

using namespace std::chrono_literals;
using base::Clock;

class ProxyTest : public ::testing::TestWithParam<bool> {  // encrypted or not
protected:
    void SetUp() override { ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR); }

    // The service listens, the proxy is between it and the client.
    void open_all(std::FILE* log) {
        std::string scheme = GetParam() ? "tls" : "tcp";
        service_at_ = *net::parse_address(scheme + "-listen://127.0.0.1:" + std::to_string(port_.number()));
        listener_ = *net::Listener::open(loop_, service_at_);
        ProxyOptions options;
        options.links = {{"127.0.0.1:0", "127.0.0.1:" + std::to_string(port_.number()), "buyer", "vendor"}};
        options.tls_to = GetParam();
        proxy_ = std::move(*Proxy::make(options, log));
        client_ = connect_to_proxy();
        ASSERT_TRUE(work([&] { return service_ != nullptr; }));
    }

    std::unique_ptr<net::Transport> connect_to_proxy() {
        return *net::reach(loop_, *net::parse_address("tcp://" + proxy_->addresses().at(0)));
    }

    template <class Done>
    bool work(Done done) {
        for (base::Time until = Clock::now() + 30s; Clock::now() < until;) {
            for (net::Transport* one : {client_.get(), service_.get()})
                if (one) one->await_events();
            proxy_->step(1);
            while (loop_.wait(Clock::now())) {
            }
            if (!service_) service_ = net::await_caller(listener_, Clock::now());
            if (client_) {
                client_->flush();
                while (auto piece = client_->receive()) client_got_ += *piece;
            }
            if (service_ && service_reads_) {
                service_->flush();
                while (auto piece = service_->receive()) service_got_ += *piece;
            }
            if (done()) return true;
        }
        return false;
    }

    net::ClaimedPort port_;
    net::Address service_at_;
    net::Loop loop_;  // of the two others
    std::shared_ptr<net::Listener> listener_;
    std::unique_ptr<Proxy> proxy_;
    std::unique_ptr<net::Transport> client_, service_;
    std::string client_got_, service_got_;
    bool service_reads_ = true;
};

std::FILE* nowhere() {
    return std::fopen("/dev/null", "w");
}

TEST_P(ProxyTest, PassesBytesAndEndsOn) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(nowhere(), std::fclose);
    open_all(log.get());
    std::string much(3'000'000, 'q');
    for (std::size_t i = 0; i < much.size(); i += 997) much[i] = static_cast<char>(i);
    client_->send(much);
    ASSERT_TRUE(work([&] { return service_got_.size() >= much.size(); }));
    EXPECT_TRUE(service_got_ == much);
    // The end of one direction is passed on; the other one stays open.
    client_->finish();
    ASSERT_TRUE(work([&] { return service_->closed(); }));
    service_->send("bye");
    service_->finish();
    ASSERT_TRUE(work([&] { return client_->closed() && proxy_->live() == 0; }));
    EXPECT_EQ(client_got_, "bye");
    EXPECT_EQ(proxy_->counts().connections, 1u);
    EXPECT_EQ(proxy_->counts().broken, 0u);
    EXPECT_EQ(proxy_->counts().bytes, much.size() + 3);
}

// A reader that is slow holds back the other side, and gets everything in the end.
TEST_P(ProxyTest, ASlowReaderHoldsBackItsPartner) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(nowhere(), std::fclose);
    open_all(log.get());
    ASSERT_TRUE(work([&] { return !service_->opening(); }));
    service_reads_ = false;
    std::string much(20'000'000, 'q');  // NOLINT(bugprone-string-constructor): as much as that
    client_->send(much);
    ASSERT_TRUE(work([&] { return proxy_->counts().held > 0; }));
    EXPECT_TRUE(client_->pending());
    service_reads_ = true;
    ASSERT_TRUE(work([&] { return service_got_.size() >= much.size(); })) << service_got_.size();
    EXPECT_TRUE(service_got_ == much);
}

TEST_P(ProxyTest, OneThatGoesAwayEndsItsConnectionOnly) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(nowhere(), std::fclose);
    open_all(log.get());
    client_->send("question");
    ASSERT_TRUE(work([&] { return service_got_ == "question"; }));
    service_.reset();
    listener_.reset();
    for (int i = 0; i < 100 && client_->send("more"); ++i) proxy_->step(1);
    client_.reset();
    for (base::Time until = Clock::now() + 30s; proxy_->live() > 0 && Clock::now() < until;) proxy_->step(1);
    EXPECT_EQ(proxy_->live(), 0u);
    // Nobody listens any more: the next one is ended, too.
    client_ = connect_to_proxy();
    for (base::Time until = Clock::now() + 30s; !client_->closed() && Clock::now() < until;) {
        proxy_->step(1);
        client_->receive();
    }
    EXPECT_TRUE(client_->closed());
    EXPECT_EQ(proxy_->live(), 0u);
    EXPECT_EQ(proxy_->counts().connections, 1u);
    EXPECT_EQ(proxy_->counts().refused, 1u);
}

// The log is a pipe that nobody reads any more: that is a failed write.
TEST_P(ProxyTest, ALogWithoutAReaderIsAFailedWrite) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    std::FILE* log = fdopen(ends[1], "w");
    open_all(log);
    close(ends[0]);
    client_->send("question");
    EXPECT_TRUE(work([&] { return proxy_->record_failed(); }));
    proxy_.reset();
    close(ends[1]);  // and not fclose(), which would write again
}

INSTANTIATE_TEST_SUITE_P(Each, ProxyTest, ::testing::Bool());

// Many callers at once, one that speaks something else, one that says nothing: each is treated alone.
TEST(Metrics, EachCallerIsTreatedAlone) {
    auto server = std::move(*MetricsServer::open("0"));
    net::Loop loop;
    auto caller = [&](const char* scheme) {
        std::string place = "://127.0.0.1:" + std::to_string(server->port());
        return *net::reach(loop, *net::parse_address(scheme + place));
    };
    auto noise = caller("tcp"), silent = caller("tcp"), one = caller("tcp"), other = caller("tcp");
    noise->send("noise\r\n\r\n");
    one->send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    other->send("GET /metrics HTTP/1.0\r\n\r\n");
    std::string noise_got, one_got, other_got;
    int pages = 0;
    for (base::Time until = Clock::now() + 30s;
         !(noise->closed() && one->closed() && other->closed()) && Clock::now() < until;) {
        server->serve([&] {
            ++pages;
            return std::string("treaty_x 1\n");
        });
        while (auto piece = noise->receive()) noise_got += *piece;
        while (auto piece = one->receive()) one_got += *piece;
        while (auto piece = other->receive()) other_got += *piece;
    }
    EXPECT_TRUE(noise_got.starts_with("HTTP/1.1 400 ")) << noise_got;
    for (const std::string& got : {one_got, other_got}) {
        EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain")) << got;
        EXPECT_TRUE(got.ends_with("\r\n\r\ntreaty_x 1\n")) << got;
    }
    EXPECT_GE(pages, 1);
    EXPECT_LE(pages, 2);
}

}  // namespace
}  // namespace treaty::watch
