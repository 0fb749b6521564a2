#include "choreo/net_machine.h"

#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/reduce_net.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

model::Net net_of(const std::string& text) {
    auto t = testing::read(text);
    return reduce_net(*compile_net(*t.spec, *t.protocol));
}

TEST(NetMachine, IsTheMarkingGraph) {
    auto m = net_machine(net_of("par { A->B:x ; A->B:y } { C->D:z }"));
    ASSERT_TRUE(m);
    EXPECT_EQ(m->state_count(), 6u);
    EXPECT_EQ(m->edge_count(), 7u);
}

TEST(NetMachine, UnboundedPlacesAreFound) {
    auto m = net_machine(net_of("rep A { A->B:x ; sig s }"));
    EXPECT_FALSE(m);
    EXPECT_EQ(m.stopped, base::StopReason::none);
    EXPECT_NE(m.reason.find("any number of times"), std::string::npos) << m.reason;
    EXPECT_TRUE(net_machine(net_of("par { A->B:x ; sig s ; A->B:y ; sig s } { wait s ; C->D:z }")));
    EXPECT_TRUE(net_machine(net_of("par { rep A { A->B:x ; sig s ; wait s } } { C->D:z }")));
}

// The signals pile up only inside the block, and every interrupt empties the semaphore.
TEST(NetMachine, WhatAnInterruptEmptiesCountsOnlyIfItGrowsBetween) {
    EXPECT_TRUE(
        net_machine(net_of("rep A { try { par { A->B:x ; sig s } { wait s ; C->D:y } } { B->A:c } }")));
    EXPECT_FALSE(net_machine(net_of("rep A { try { rep A { A->B:x ; sig s } } { B->A:c } }")));
}

TEST(NetMachine, LimitsAreOutcomes) {
    std::string text = "par";
    for (int i = 0; i < 12; ++i) text += " { A->B:x }";
    auto net = net_of(text);
    auto m = net_machine(net, {.states = 100, .deadline = {}});
    EXPECT_FALSE(m);
    EXPECT_EQ(m.stopped, base::StopReason::states);
    auto small = net_machine(net, {.bytes = 10'000, .deadline = {}});
    EXPECT_FALSE(small);
    EXPECT_EQ(small.stopped, base::StopReason::memory);
    EXPECT_TRUE(net_machine(net));
}

TEST(NetMachine, AgreesWithTheTokenGame) {
    int built = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(500); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 6;
        shape.recursion = shape.interrupts = true;
        shape.semaphores = seed % 2 == 0;
        auto protocol = random_protocol(spec, shape, seed);
        auto net = compile_net(spec, protocol);
        ASSERT_TRUE(net);
        auto machine = net_machine(*net, {.states = 2000, .deadline = {}});
        if (!machine) continue;
        ++built;
        auto outcome =
            testing::same_weak_traces(testing::net_steps(*net), testing::machine_steps(*machine), 4, 150);
        ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference;
    }
    EXPECT_GT(built, 300);
}

}  // namespace
}  // namespace treaty::choreo
