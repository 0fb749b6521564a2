#include "process/component.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/wait.h"

namespace treaty::process {
namespace {

using namespace std::chrono_literals;
using base::Clock;
using base::pause_until;

bool alive(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return status >> number >> name >> state && state != "Z";
}

std::string read_all(const base::Descriptor& from) {
    std::string all, part(4096, 0);
    while (base::wait_readable(from.get(), Clock::now() + 20s)) {
        ssize_t n = read(from.get(), part.data(), part.size());
        if (n <= 0) break;
        all.append(part, 0, static_cast<std::size_t>(n));
    }
    return all;
}

std::unique_ptr<Component> started(const std::string& command, bool speaks_stdio, const std::string& folder) {
    auto result = Component::start(command, speaks_stdio, folder);
    EXPECT_TRUE(result) << result.error();
    return result ? std::move(*result) : nullptr;
}

TEST(Component, SpeaksThroughItsStandardStreams) {
    auto component = started("cat; echo gone >&2; exit 3", true, {});
    ASSERT_TRUE(component);
    auto stdio = component->take_stdio();
    ASSERT_TRUE(stdio);
    EXPECT_EQ(write(stdio->to.get(), "hello\n", 6), 6);
    stdio->to.reset();
    EXPECT_EQ(read_all(stdio->from), "hello\n");
    EXPECT_FALSE(component->take_stdio());
    component->await_end(Clock::now() + 20s);
    EXPECT_TRUE(component->ending().ended);
    EXPECT_EQ(component->ending().status, 3);
    EXPECT_FALSE(component->ending().by_us);
    component->stop();
    EXPECT_EQ(component->errors(), "gone\n");
}

TEST(Component, TheSignalThatEndedItIsKnown) {
    auto component = started("kill -SEGV $$", false, {});
    component->await_end(Clock::now() + 20s);
    EXPECT_EQ(component->ending().signal, SIGSEGV);
}

// Ignores the signal that asks it to end, and leaves a child running in a session of its own.
TEST(Component, NothingIsLeftRunning) {
    auto component =
        started("trap '' TERM; setsid sleep 1000 & echo $! >&2; while :; do sleep 1000; done", false, {});
    auto until = Clock::now() + 20s;
    while (component->errors().find('\n') == std::string::npos && Clock::now() < until) {
        pause_until(Clock::now() + 1ms);
        component->look();
    }
    pid_t child = static_cast<pid_t>(std::stol(component->errors()));
    EXPECT_TRUE(alive(child));
    component->stop(10ms);
    EXPECT_TRUE(component->ending().by_us);
    EXPECT_EQ(component->ending().signal, SIGKILL);
    for (until = Clock::now() + 20s; alive(child) && Clock::now() < until;) pause_until(Clock::now() + 1ms);
    EXPECT_FALSE(alive(child));
}

// The tester itself is killed: the keeper cleans up after it, including the folder of the session.
TEST(Component, NothingIsLeftWhenTheTesterIsKilled) {
    std::string folder = ::testing::TempDir() + "treaty-kept-" + std::to_string(getpid());
    std::filesystem::create_directory(folder);
    std::string told = folder + ".pid";
    pid_t tester = fork();
    if (tester == 0) {
        auto component = started("setsid sleep 1000 & echo $! > " + told + "; sleep 1000", false, folder);
        for (;;) pause();
    }
    pid_t child = 0;
    for (auto until = Clock::now() + 20s; child == 0 && Clock::now() < until; pause_until(Clock::now() + 1ms))
        std::ifstream(told) >> child;
    ASSERT_TRUE(alive(child));
    kill(tester, SIGKILL);
    waitpid(tester, nullptr, 0);
    auto until = Clock::now() + 20s;
    while ((alive(child) || std::filesystem::exists(folder)) && Clock::now() < until)
        pause_until(Clock::now() + 1ms);
    EXPECT_FALSE(alive(child));
    EXPECT_FALSE(std::filesystem::exists(folder));
    std::filesystem::remove(told);
}

TEST(Component, OfAFloodOfErrorsTheLastPartIsKept) {
    auto component = started("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end >&2", false, {});
    auto until = Clock::now() + 20s;
    while (!component->ending().ended && Clock::now() < until) {
        pause_until(Clock::now() + 1ms);
        component->look();
    }
    component->look();
    EXPECT_TRUE(component->errors().ends_with("end\n"));
    EXPECT_LE(component->errors().size(), 2 * Component::kept_errors);
}

TEST(Component, WhatItSaysWhenItBrokeIsFound) {
    EXPECT_EQ(broken_message("all is well\n"), "");
    EXPECT_EQ(broken_message("a\n==1==ERROR: AddressSanitizer: heap-use-after-free\nb\n"),
              "==1==ERROR: AddressSanitizer: heap-use-after-free");
    EXPECT_EQ(broken_message("Traceback (most recent call last):\n  File \"x\"\nValueError: no\n"),
              "ValueError: no");
}

}  // namespace
}  // namespace treaty::process
