#include "drive/component.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

namespace treaty::drive {
namespace {

using namespace std::chrono_literals;

bool alive(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return status >> number >> name >> state && state != "Z";
}

std::string read_all(Connection& connection) {
    std::string all;
    Connection* one = &connection;
    auto until = Clock::now() + 20s;
    while (!connection.closed() && Clock::now() < until) {
        wait({&one, 1}, {}, until);
        all += connection.receive();
    }
    return all;
}

TEST(Component, SpeaksThroughItsStandardStreams) {
    std::string fault;
    auto component = Component::start("cat; echo gone >&2; exit 3", true, fault);
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
    auto component = Component::start("kill -SEGV $$", false, fault);
    component->await_end(Clock::now() + 20s);
    EXPECT_EQ(component->ending().signal, SIGSEGV);
}

// Ignores the signal that asks it to end, and leaves a child behind in a session of its own.
TEST(Component, NothingIsLeftRunning) {
    std::string fault;
    auto component = Component::start("trap '' TERM; setsid sleep 1000 & echo $! >&2; while :; do sleep 1000; done", false, fault);
    auto until = Clock::now() + 20s;
    while (component->errors().find('\n') == std::string::npos && Clock::now() < until) {
        int fd = component->error_descriptor();
        wait({}, {&fd, 1}, until);
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

TEST(Component, OfAFloodOfErrorsTheLastPartIsKept) {
    std::string fault;
    auto component = Component::start("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end >&2", false, fault);
    auto until = Clock::now() + 20s;
    while (!component->ending().ended && Clock::now() < until) {
        int fd = component->error_descriptor();
        wait({}, {&fd, 1}, Clock::now() + 10ms);
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
    EXPECT_EQ(broken_message("Traceback (most recent call last):\n  File \"x\"\nValueError: no\n"), "ValueError: no");
}

TEST(Address, IsReadAndExpanded) {
    std::string fault;
    EXPECT_EQ(parse_address("tcp://127.0.0.1:80", fault)->port, 80);
    EXPECT_TRUE(parse_address("unix-listen:a.sock", fault)->listen);
    EXPECT_EQ(parse_address("stdio:", fault)->kind, AddressKind::stdio);
    for (const char* wrong : {"", "tcp://", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:x", "unix:", "http://a"}) {
        fault.clear();
        EXPECT_FALSE(parse_address(wrong, fault)) << wrong;
        EXPECT_NE(fault, "") << wrong;
    }
    EXPECT_EQ(expand("a {port} {x} {tmp}{", {{"port", "7"}, {"tmp", "t"}}), "a 7 {x} t{");
    EXPECT_NE(free_port(), 0);
}

}  // namespace
}  // namespace treaty::drive
