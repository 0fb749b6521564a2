// Streams that are still being connected.
#include "net/stream.h"

#include <gtest/gtest.h>

#include "net/open.h"
#include "net/port.h"

namespace treaty::net {
namespace {

using namespace std::chrono_literals;

// Where nothing listens, and then where something does.
class Connecting : public ::testing::Test {
protected:
    static Address at(const ClaimedPort& port) {
        return *parse_address("tcp://127.0.0.1:" + std::to_string(port.number()));
    }
    StreamEndpoint endpoint(const ClaimedPort& port) { return resolve_stream(at(port))->front(); }
    bool connected(const Stream& stream) {
        for (Time until = Clock::now() + 10s; stream.opening() && Clock::now() < until;) loop_.wait(until);
        return !stream.opening() && !stream.connect_error();
    }

    Loop loop_;
    ClaimedPort nobody_, somebody_;
};

TEST_F(Connecting, AllPlacesOfANameAreTried) {
    auto listener = *Listener::open(loop_, at(somebody_));
    Stream stream(loop_, {endpoint(nobody_), endpoint(somebody_)});
    EXPECT_TRUE(stream.send("early"));
    ASSERT_TRUE(connected(stream));
    EXPECT_FALSE(stream.refused());
    auto far = await_caller(listener, Clock::now() + 10s);
    ASSERT_TRUE(far);
    std::string got;
    for (Time until = Clock::now() + 10s; got.size() < 5 && Clock::now() < until;) {
        stream.flush();
        far->await_events();
        loop_.wait(until);
        if (auto piece = far->receive()) got += *piece;
    }
    EXPECT_EQ(got, "early");
}

TEST_F(Connecting, WhereNothingListensItIsBroken) {
    Stream stream(loop_, {endpoint(nobody_), endpoint(somebody_)});
    EXPECT_FALSE(connected(stream));
    EXPECT_EQ(stream.connect_error(), asio::error::connection_refused);
    EXPECT_FALSE(stream.flush());
    EXPECT_FALSE(stream.receive());
    EXPECT_TRUE(stream.closed());
    EXPECT_TRUE(stream.broken());
    EXPECT_TRUE(stream.refused());
}

}  // namespace
}  // namespace treaty::net
