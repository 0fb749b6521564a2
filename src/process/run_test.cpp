#include "process/run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

namespace treaty::process {
namespace {

using namespace std::chrono_literals;
using End = RunResult::End;

RunResult shell(const std::string& script, std::string_view input = {}, const base::Deadline& deadline = {}) {
    auto result = run({"/bin/sh", "-c", script}, input, deadline);
    EXPECT_TRUE(result) << result.error();
    return result ? *result : RunResult();
}

TEST(Run, PassesTextInAndOut) {
    std::string much(1'000'000, 'x');
    RunResult result = shell("cat; echo odd >&2; exit 3", much);
    EXPECT_EQ(result.end, End::exited);
    EXPECT_EQ(result.number, 3);
    EXPECT_EQ(result.errors, "odd\n");
    EXPECT_TRUE(result.output == much);
}

TEST(Run, SignalsAreKnownAndTheProgramHasItsOwn) {
    RunResult result = shell("kill -PIPE $$");
    EXPECT_EQ(result.end, End::signalled);
    EXPECT_EQ(result.number, SIGPIPE);
}

TEST(Run, AProgramThatCannotBeStartedIsAFault) {
    auto result = run({"/no/such/program"}, {}, {});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error(), "");
}

// One that does not read what it is given must not end us, and need not read it.
TEST(Run, OneThatDoesNotReadIsNoSignal) {
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    RunResult result = shell("exec <&-; echo done", std::string(1'000'000, 'x'));
    EXPECT_EQ(result.end, End::exited);
    EXPECT_EQ(result.output, "done\n");
}

TEST(Run, IsKilledWhenItsTimeIsUp) {
    EXPECT_EQ(shell("exec sleep 1000", {}, base::Deadline::after(50ms)).end, End::killed);
    base::StopSource stop;
    stop.request();
    EXPECT_EQ(shell("exec sleep 1000", {}, base::Deadline().with(stop.token())).end, End::killed);
}

// Descriptors of one program must not be held by another that is started at the same time: it would not see
// its end.
TEST(Run, ManyAtOnce) {
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([i] {
            for (int round = 0; round < 10; ++round) {
                std::string text = std::to_string(i * 100 + round);
                EXPECT_EQ(shell("cat", text).output, text);
            }
        });
    for (std::thread& one : threads) one.join();
}

}  // namespace
}  // namespace treaty::process
