#include "drive/send_out.h"

#include <gtest/gtest.h>

#include <thread>

#include "drive/process_stage.h"
#include "net/testing/transports.h"

namespace treaty::drive {
namespace {

using namespace std::chrono_literals;
using net::testing::Ends;
using net::testing::work;

class SendOut : public net::testing::Transports {};

// What was sent goes out before the connection is closed.
TEST_P(SendOut, LastMessagesArrive) {
    open_both();
    auto stage = make_process_stage({});
    std::string near_got, far_got, answer(std::size_t{5} << 20, 'a');
    ends_.near->send("question");
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return far_got == "question"; }));
    ASSERT_TRUE(ends_.far->send(answer));
    ends_.far->finish();
    std::thread reader([&] {
        std::string unused;
        Ends reading{std::move(ends_.near), nullptr};
        EXPECT_TRUE(work(reading, near_got, unused, [&] { return near_got.size() >= answer.size(); }));
    });
    Transport* one = ends_.far.get();
    send_out(*stage, {&one, 1}, 30s);
    EXPECT_FALSE(ends_.far->pending());
    reader.join();
    EXPECT_TRUE(near_got == answer);
}

INSTANTIATE_TEST_SUITE_P(Each, SendOut,
                         ::testing::Values("tcp", "tls", "unix", "ws", "wss", "http", "https"));

}  // namespace
}  // namespace treaty::drive
