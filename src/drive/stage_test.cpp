#include "drive/stage.h"

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

// Only waits, as a stage does.
class Waiting final : public Stage {
public:
    explicit Waiting(net::Loop loop) : loop_(std::move(loop)) {}
    base::Result<void> begin() override { return {}; }
    base::Result<std::unique_ptr<Transport>> open(model::RoleId, Time) override {
        return base::Fault{"it only waits"};
    }
    void wait(std::span<Transport* const> transports, Time until) override {
        for (Transport* one : transports) one->await_events();
        loop_.wait(until);
        for (Transport* one : transports) one->flush();
    }
    Time now() const override { return Clock::now(); }
    const Ending& ending() const override { return ending_; }
    const std::string& errors() const override { return errors_; }
    void look() override {}
    void end(Time) override {}

private:
    net::Loop loop_;
    Ending ending_;
    std::string errors_;
};

// What was sent goes out before the connection is closed.
TEST_P(SendOut, LastMessagesArrive) {
    ends_.near_loop = net::Loop();  // of the thread that reads
    open_both();
    Waiting stage(ends_.far_loop);
    std::string near_got, far_got, answer(std::size_t{5} << 20, 'a');
    ends_.near->send("question");
    ASSERT_TRUE(work(ends_, near_got, far_got, [&] { return far_got == "question"; }));
    ASSERT_TRUE(ends_.far->send(answer));
    ends_.far->finish();
    std::thread reader([&] {
        std::string unused;
        Ends reading{std::move(ends_.near), nullptr, ends_.near_loop, ends_.near_loop};
        EXPECT_TRUE(work(reading, near_got, unused, [&] { return near_got.size() >= answer.size(); }));
    });
    Transport* one = ends_.far.get();
    send_out(stage, {&one, 1}, 30s);
    EXPECT_FALSE(ends_.far->pending());
    reader.join();
    EXPECT_TRUE(near_got == answer);
}

INSTANTIATE_TEST_SUITE_P(Each, SendOut,
                         ::testing::Values("tcp", "tls", "unix", "ws", "wss", "http", "https"));

}  // namespace
}  // namespace treaty::drive
