#include "base/pipe_signal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptor.h"

namespace treaty::base {
namespace {

// A write to a pipe that nobody reads; errno of it, 0 if it went well.
int write_to_nobody() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return -1;
    Descriptor writing(ends[1]);
    Descriptor(ends[0]).reset();
    PipeSignalBlocked blocked;
    errno = 0;
    return write(writing.get(), "x", 1) < 0 ? errno : 0;
}

bool pipe_is_blocked() {
    sigset_t now;
    sigemptyset(&now);
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, SIGPIPE) == 1;
}

TEST(PipeSignal, AWriteToNobodyFailsAndTheProcessLives) {
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    EXPECT_EQ(write_to_nobody(), EPIPE);
    EXPECT_FALSE(pipe_is_blocked());  // else a later one would end the process here
}

TEST(PipeSignal, WhatWasPendingBeforeStaysPending) {
    ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    raise(SIGPIPE);
    EXPECT_EQ(write_to_nobody(), EPIPE);
    EXPECT_TRUE(pipe_is_blocked());
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 1);
    int taken = 0;
    sigwait(&pipe, &taken);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace treaty::base
