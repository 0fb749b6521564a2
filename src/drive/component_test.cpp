#include "drive/component.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "drive/address.h"
#include "drive/sockets.h"

namespace treaty::drive {
namespace {

using namespace std::chrono_literals;

bool alive(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return status >> number >> name >> state && state != "Z";
}

std::string read_all(Transport& transport) {
    std::string all;
    auto until = Clock::now() + 20s;
    while (!transport.closed() && Clock::now() < until) {
        if (auto piece = transport.receive())
            all += *piece;
        else
            pause_until(Clock::now() + 1ms);
    }
    return all;
}

TEST(Component, SpeaksThroughItsStandardStreams) {
    std::string fault;
    auto component = Component::start("cat; echo gone >&2; exit 3", true, {}, fault);
    ASSERT_TRUE(component) << fault;
    auto stdio = component->take_stdio();
    ASSERT_TRUE(stdio);
    EXPECT_TRUE(stdio->send("hello\n"));
    stdio->finish();
    EXPECT_EQ(read_all(*stdio), "hello\n");
    component->await_end(Clock::now() + 20s);
    EXPECT_TRUE(component->ending().ended);
    EXPECT_EQ(component->ending().status, 3);
    EXPECT_FALSE(component->ending().by_us);
    component->stop();
    EXPECT_EQ(component->errors(), "gone\n");
}

TEST(Component, TheSignalThatEndedItIsKnown) {
    std::string fault;
    auto component = Component::start("kill -SEGV $$", false, {}, fault);
    component->await_end(Clock::now() + 20s);
    EXPECT_EQ(component->ending().signal, SIGSEGV);
}

// Ignores the signal that asks it to end, and leaves a child behind in a session of its own.
TEST(Component, NothingIsLeftRunning) {
    std::string fault;
    auto component = Component::start(
        "trap '' TERM; setsid sleep 1000 & echo $! >&2; while :; do sleep 1000; done", false, {}, fault);
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

// The tester itself is killed: the keeper cleans up behind it, the folder of the session too.
TEST(Component, NothingIsLeftWhenTheTesterIsKilled) {
    std::string folder = ::testing::TempDir() + "treaty-kept-" + std::to_string(getpid());
    std::filesystem::create_directory(folder);
    std::string told = folder + ".pid";
    pid_t tester = fork();
    if (tester == 0) {
        std::string fault;
        auto component =
            Component::start("setsid sleep 1000 & echo $! > " + told + "; sleep 1000", false, folder, fault);
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
    std::string fault;
    auto component =
        Component::start("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end >&2", false, {}, fault);
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

TEST(Address, IsReadAndExpanded) {
    std::string fault;
    EXPECT_EQ(parse_address("tcp://127.0.0.1:80", fault)->port, 80);
    EXPECT_TRUE(parse_address("unix-listen:a.sock", fault)->listen);
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat", fault)->path, "/chat");
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat", fault)->host, "::1");
    EXPECT_EQ(parse_address("https://a:1?ca=f", fault)->ca, "f");
    EXPECT_EQ(parse_address("stdio:", fault)->kind, AddressKind::stdio);
    for (const char* wrong : {"", "tcp://", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:x", "unix:",
                              "http://a", "tcp://a:1/x", "tls://a:1?cert=c", "tls://a:1?x=y", "ftp://a:1"}) {
        fault.clear();
        EXPECT_FALSE(parse_address(wrong, fault)) << wrong;
        EXPECT_NE(fault, "") << wrong;
    }
    setenv("TREATY_EXAMPLE", "e", 1);
    EXPECT_EQ(expand("{env:TREATY_EXAMPLE}{env:TREATY_NO_SUCH}", {}), "e{env:TREATY_NO_SUCH}");
    EXPECT_EQ(expand("a {port} {x} {tmp}{", {{"port", "7"}, {"tmp", "t"}}), "a 7 {x} t{");
}

}  // namespace
}  // namespace treaty::drive
