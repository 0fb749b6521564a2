// A pseudo-terminal: what one side sends the other gets as it is, and a baud rate takes its time.
#include "net/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

namespace treaty::net {
namespace {

using namespace std::chrono_literals;

struct Far {
    explicit Far(const std::string& path)
        : fd(open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {}

    void take() {
        char some[4096];
        for (ssize_t n; (n = read(fd.get(), some, sizeof some)) > 0;)
            got.append(some, static_cast<std::size_t>(n));
    }

    base::Descriptor fd;
    std::string got;
};

TEST(Terminal, CarriesAllBytesAsTheyAre) {
    Loop loop;
    auto terminal = open_terminal();
    ASSERT_TRUE(terminal) << terminal.error();
    auto line = over_terminal(loop, *terminal, 0);
    ASSERT_TRUE(line);
    Far far(terminal->path);
    ASSERT_TRUE(far.fd);
    EXPECT_FALSE((*line)->receive());
    EXPECT_FALSE((*line)->closed());
    // Those that a terminal in its usual mode would change, echo or act on, among others.
    std::string sent, answer, got;
    for (int round = 0; round < 200; ++round)
        for (int b = 0; b < 256; ++b) sent += static_cast<char>(b);
    ASSERT_TRUE((*line)->send(sent));
    for (Time until = Clock::now() + 20s; far.got.size() < sent.size() && Clock::now() < until;) {
        (*line)->await_events();
        loop.wait(Clock::now() + 5ms);
        (*line)->flush();
        far.take();
    }
    EXPECT_TRUE(far.got == sent);
    answer = sent.substr(0, 1000);
    ASSERT_EQ(write(far.fd.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    for (Time until = Clock::now() + 20s; got.size() < answer.size() && Clock::now() < until;) {
        (*line)->await_events();
        loop.wait(Clock::now() + 5ms);
        while (auto piece = (*line)->receive()) got += *piece;
    }
    EXPECT_TRUE(got == answer);
    EXPECT_EQ((*line)->unread(), 0u);
}

TEST(Terminal, ABaudRateTakesItsTime) {
    Loop loop;
    auto terminal = open_terminal();
    ASSERT_TRUE(terminal) << terminal.error();
    auto line = over_terminal(loop, *terminal, 9600);
    ASSERT_TRUE(line);
    Far far(terminal->path);
    Time began = Clock::now();
    std::string sent(96, 'x');
    ASSERT_TRUE((*line)->send(sent));
    far.take();
    EXPECT_LT(far.got.size(), sent.size());
    EXPECT_GT((*line)->unread(), 0u);
    for (Time until = began + 20s; far.got.size() < sent.size() && Clock::now() < until;) {
        (*line)->await_events();
        loop.wait(until);
        (*line)->flush();
        far.take();
    }
    EXPECT_EQ(far.got, sent);
    // 96 bytes of ten bits; the first leaves at once.
    EXPECT_GE(Clock::now() - began, 95 * 1000ms / 960);
}

}  // namespace
}  // namespace treaty::net
